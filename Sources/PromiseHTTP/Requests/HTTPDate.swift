import Foundation

extension Date {
  /// Creates the date of a text as HTTP writes dates (RFC 9110, 5.6.7), in one of its three formats:
  ///
  ///     Sun, 06 Nov 1994 08:49:37 GMT
  ///     Sunday, 06-Nov-94 08:49:37 GMT
  ///     Sun Nov  6 08:49:37 1994
  ///
  /// The name of the day is not compared with the date.
  ///
  /// - Parameters:
  ///   - text: the text. The result is `nil` if it is no such date.
  ///   - now: the present time. A year of two digits is within fifty years of the present one.
  init?(http text: String, now: Date = Date()) {
    guard let fields = DateFields(text, thisYear: Calendar.utc.component(.year, from: now)),
      let date = Calendar.utc.date(from: fields.components)
    else { return nil }
    self = date
  }
}

/// The numbers of a date.
private struct DateFields {
  var components = DateComponents()

  /// - Returns: `nil` if the text has none of the formats, or a number that is out of range.
  init?(_ text: String, thisYear: Int) {
    let words = text.split(separator: " ").map(String.init)
    let dateWords: [String]
    let time: String
    switch words.count {
    // Sunday, 06-Nov-94 08:49:37 GMT
    case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
      dateWords = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      time = words[2]
      guard dateWords.count == 3, dateWords[2].count == 2 else { return nil }
    // Sun, 06 Nov 1994 08:49:37 GMT
    case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
      dateWords = Array(words[1...3])
      time = words[4]
      guard dateWords[2].count == 4 else { return nil }
    // Sun Nov  6 08:49:37 1994
    case 5 where words[4].count == 4:
      dateWords = [words[2], words[1], words[4]]
      time = words[3]
    default: return nil
    }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard let day = Self.number(dateWords[0], atMost: 2), let month = months.firstIndex(of: dateWords[1]),
      var year = Self.number(dateWords[2], atMost: 4)
    else { return nil }
    if dateWords[2].count == 2 {
      year += thisYear / 100 * 100
      if year > thisYear + 50 { year -= 100 }
      if year <= thisYear - 50 { year += 100 }
    }
    let times = time.split(separator: ":", omittingEmptySubsequences: false).compactMap {
      $0.count == 2 ? Self.number(String($0), atMost: 2) : nil
    }
    // 60 is a leap second.
    guard time.utf8.count == 8, times.count == 3, times[0] < 24, times[1] < 60, times[2] <= 60 else { return nil }
    components = DateComponents(
      year: year, month: month + 1, day: day, hour: times[0], minute: times[1], second: times[2])
    guard let first = Calendar.utc.date(from: DateComponents(year: year, month: month + 1)),
      let days = Calendar.utc.range(of: .day, in: .month, for: first), days.contains(day)
    else { return nil }
  }

  private static func number(_ text: String, atMost digits: Int) -> Int? {
    (1...digits).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
  }
}

extension Calendar {
  fileprivate static let utc: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}

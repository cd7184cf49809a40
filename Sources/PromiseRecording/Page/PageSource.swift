/// The page's own source: HTML, a style sheet and a script, without the data of a recording.
///
/// It is text in Swift files, and not a resource. SwiftPM turns an embedded resource into an array literal, which takes
/// the compiler longer than the rest of the module, and a resource in a bundle needs Foundation.
enum PageSource {
  /// The page up to its data. The script waits until the browser has read the data, which follows.
  static let start = """
    \(head)
    <style>
    \(style)
    </style>
    </head>
    \(markup)
    <script>
    \(script)
    </script>

    """

  /// The page after its data.
  static let end = "</body>\n</html>\n"

  private static let script = [
    readingScript, causesScript, treeScript, viewScript, barsScript, detailsScript, inputScript,
  ].joined(separator: "\n")

  private static let head = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <link rel="icon" href="data:,">
    <title>Recording of promises</title>
    """#

  private static let markup = #"""
    <body>
    <header>
      <h1 id="title"></h1>
      <p id="summary" role="status">Reading the recording …</p>
      <div id="states" role="group" aria-label="Show only these promises"></div>
      <div>
        <input id="search" type="search" placeholder="Search" maxlength="200" spellcheck="false"
          aria-label="Search labels, operations, sites, types, reasons and texts">
        <output id="count" for="search"></output>
      </div>
    </header>
    <main>
      <section id="board" aria-label="Promises and their timeline">
        <div class="band"><div><label>Handlers by <select id="grouping">
            <option value="contexts">context</option><option value="threads">thread</option>
          </select></label><span id="zoom" role="group" aria-label="Zoom">
          <button id="out" aria-label="Zoom out">−</button> <button id="in" aria-label="Zoom in">+</button>
          <button id="all">All</button> <button id="chosen">Selection</button></span></div>
          <canvas id="overview" role="img" aria-label="All handlers, and the part that is shown"></canvas></div>
        <div class="band"><span>Promises</span><canvas id="axis" role="img" aria-label="Time axis"></canvas></div>
        <div id="lanes"><canvas role="img" aria-label="Runs of handlers"></canvas></div>
        <div id="scroller" tabindex="-1">
          <div id="view">
            <div id="tree" role="tree" tabindex="0" aria-label="Promises"></div>
            <canvas id="bars" role="img" aria-label="The time in which each promise was pending"></canvas>
          </div>
          <div id="spacer"></div>
        </div>
      </section>
      <aside id="details" aria-label="Details"><p id="hint">Select a promise to see its details.</p></aside>
    </main>
    <footer>
      <span><kbd>/</kbd> search</span><span><kbd>n</kbd> next match</span>
      <span><kbd>↑</kbd> <kbd>↓</kbd> select</span> <span><kbd>←</kbd> <kbd>→</kbd> fold</span>
      <span><kbd>+</kbd> <kbd>−</kbd> <kbd>Enter</kbd> zoom</span> <span><kbd>,</kbd> <kbd>.</kbd> move</span>
    </footer>
    <noscript>This page needs JavaScript to show the recording.</noscript>
    """#
}

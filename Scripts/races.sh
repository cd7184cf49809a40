#!/usr/bin/env bash
# Sums up .build/races.txt, which the tests of `make races` write. It takes no arguments.
#
# Each line contains the name of a race, its rounds, the rounds in which the first and the second side came first, and
# the rounds in which both sides ran at the same time. A test with arguments writes a line for each argument.
set -euo pipefail
cd "$(dirname "$0")/.."

awk -F '\t' -v OFS='\t' '
  { rounds[$1] += $2; first[$1] += $3; second[$1] += $4; if ($5 == "-") together[$1] = "-"; else together[$1] += $5 }
  END { for (name in rounds) print name, rounds[name], first[name], second[name], together[name] }
' .build/races.txt | sort >.build/races.sorted
{ printf 'race\trounds\tfirst came first\tsecond came first\tat the same time\n'; cat .build/races.sorted; } >.build/races.txt
rm .build/races.sorted

awk -F '\t' '
  NR == 1 { next }
  { kind = $5 == "-" ? "races of their own" : "pairs of the tables"
    races[kind]++; rounds[kind] += $2; first[kind] += $3; second[kind] += $4; if ($5 != "-") together += $5
    rarest = $3 < $4 ? $3 : $4; if (!(kind in least) || rarest < least[kind]) { least[kind] = rarest; which[kind] = $1 } }
  END {
    for (kind in races) {
      printf "%s: %d, %d rounds; the first came first in %d, the second in %d; the rarest order %d times: %s\n",
        kind, races[kind], rounds[kind], first[kind], second[kind], least[kind], which[kind]
    }
    printf "both sides of a pair were under way at the same time in %d rounds\n", together
    print "all of them: .build/races.txt"
  }
' .build/races.txt

/** A call of the function and the result that it must have. */
export type ProgramTest = readonly [args: readonly unknown[], result: unknown]

/** A function to write, with the solution and the errors of a stand-in. */
export interface ProgramProblem {
  readonly name: string
  readonly task: string
  /** Tests that the search may run. */
  readonly tests: readonly ProgramTest[]
  /** Further tests, which a right program has to pass too. */
  readonly heldOut: readonly ProgramTest[]
  /** A right program. */
  readonly solution: string
  /** Possible errors of the program: the right text and the wrong one. */
  readonly slips: readonly (readonly [right: string, wrong: string])[]
}

/** Small problems with tests. */
export const PROBLEMS: readonly ProgramProblem[] = [
  {
    name: 'roman',
    task: 'Write `roman(text)`: the number that a Roman numeral stands for.',
    tests: [
      [['III'], 3],
      [['IV'], 4],
      [['XL'], 40],
      [['CD'], 400],
      [['MCMXCIV'], 1994],
    ],
    heldOut: [
      [['DXLVIII'], 548],
      [['IX'], 9],
      [['CM'], 900],
      [['MMXXVI'], 2026],
    ],
    solution: `function roman(text) {
  const values = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 }
  let sum = 0
  for (let i = 0; i < text.length; i++) {
    const value = values[text[i]]
    const next = values[text[i + 1]] ?? 0
    sum += value < next ? -value : value
  }
  return sum
}`,
    slips: [
      ['let sum = 0', 'let sum = 1'],
      ['value < next', 'value <= next'],
      ['D: 500,', 'D: 5000,'],
      ['text[i + 1]', 'text[i - 1]'],
      ['X: 10,', 'X: 100,'],
    ],
  },
  {
    name: 'runs',
    task: 'Write `runs(text)`: every run of equal letters as the letter and, if there are several, their number.',
    tests: [
      [['aaab'], 'a3b'],
      [[''], ''],
      [['abc'], 'abc'],
      [['zz'], 'z2'],
    ],
    heldOut: [
      [['aabbaa'], 'a2b2a2'],
      [['x'], 'x'],
      [['qqqqqqqqqqqq'], 'q12'],
    ],
    solution: `function runs(text) {
  let out = ''
  for (let i = 0; i < text.length; ) {
    let end = i
    while (text[end] === text[i] && end < text.length) end += 1
    const count = end - i
    out += count > 1 ? text[i] + count : text[i]
    i = end
  }
  return out
}`,
    slips: [
      ['count > 1', 'count > 2'],
      ['count = end - i\n', 'count = end - i + 1\n'],
      ['text[i] + count', 'count + text[i]'],
      ["let out = ''", "let out = ' '"],
    ],
  },
  {
    name: 'brackets',
    task: 'Write `brackets(text)`: whether all brackets in a text, ( [ {, are closed in the right order.',
    tests: [
      [['()'], true],
      [['(]'], false],
      [['([]{})'], true],
      [['(('], false],
    ],
    heldOut: [
      [[')('], false],
      [['([)]'], false],
      [['a(b)c'], true],
      [[''], true],
      [['{[}'], false],
    ],
    solution: `function brackets(text) {
  const closes = { ')': '(', ']': '[', '}': '{' }
  const open = []
  for (const sign of text) {
    if ('([{'.includes(sign)) open.push(sign)
    else if (sign in closes && open.pop() !== closes[sign]) return false
  }
  return open.length === 0
}`,
    slips: [
      ["']': '['", "']': '('"],
      ['open.length === 0', 'open.length >= 0'],
      ['open.pop() !==', 'open.shift() !=='],
      ["'([{'.includes", "'(['.includes"],
      ['return false', 'return true'],
    ],
  },
  {
    name: 'merge',
    task: 'Write `merge(list)`: intervals [from, to] with those that overlap or touch made one, in order.',
    tests: [
      [
        [
          [
            [1, 3],
            [2, 5],
          ],
        ],
        [[1, 5]],
      ],
      [[[]], []],
      [
        [
          [
            [4, 6],
            [1, 2],
          ],
        ],
        [
          [1, 2],
          [4, 6],
        ],
      ],
    ],
    heldOut: [
      [
        [
          [
            [1, 4],
            [4, 5],
          ],
        ],
        [[1, 5]],
      ],
      [
        [
          [
            [1, 9],
            [2, 3],
          ],
        ],
        [[1, 9]],
      ],
      [
        [
          [
            [10, 12],
            [2, 3],
          ],
        ],
        [
          [2, 3],
          [10, 12],
        ],
      ],
    ],
    solution: `function merge(list) {
  const sorted = [...list].sort((a, b) => a[0] - b[0])
  const out = []
  for (const [from, to] of sorted) {
    const last = out[out.length - 1]
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else out.push([from, to])
  }
  return out
}`,
    slips: [
      ['from <= last[1]', 'from < last[1]'],
      ['last[1] = Math.max(last[1], to)', 'last[1] = to'],
      ['.sort((a, b) => a[0] - b[0])', '.sort()'],
      ['a[0] - b[0]', 'b[0] - a[0]'],
      ['out.push([from, to])', 'out.push([to, from])'],
    ],
  },
  {
    name: 'seconds',
    task: 'Write `seconds(text)`: the seconds of a time such as 1h2m3s, of which any part may be missing; -1 for anything else.',
    tests: [
      [['1h2m3s'], 3723],
      [['45s'], 45],
      [['2h'], 7200],
      [['x'], -1],
    ],
    heldOut: [
      [['90m'], 5400],
      [['1h30s'], 3630],
      [[''], -1],
      [['1h2'], -1],
      [['10m5s'], 605],
    ],
    solution: `function seconds(text) {
  const match = /^(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?$/.exec(text)
  if (!match || text === '') return -1
  const [hours, minutes, rest] = match.slice(1).map((part) => Number(part ?? 0))
  return hours * 3600 + minutes * 60 + rest
}`,
    slips: [
      ["text === ''", "text === '0'"],
      ['minutes * 60', 'minutes * 100'],
      ['match.slice(1)', 'match.slice(0)'],
      ['hours * 3600', 'hours * 60'],
      ['?$/', '?/'],
    ],
  },
  {
    name: 'first',
    task: 'Write `first(list, least)`: the index of the first number of a sorted list that is at least `least`; its length if there is none.',
    tests: [
      [[[1, 3, 5], 3], 1],
      [[[1, 3, 5], 4], 2],
      [[[], 1], 0],
    ],
    heldOut: [
      [[[1, 3, 5], 9], 3],
      [[[2, 2, 2], 2], 0],
      [[[1, 3, 5, 7], 0], 0],
      [[[1, 1, 2, 2, 3], 2], 2],
    ],
    solution: `function first(list, least) {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle] < least) low = middle + 1
    else high = middle
  }
  return low
}`,
    slips: [
      ['list[middle] < least', 'list[middle] <= least'],
      ['high = list.length\n', 'high = list.length - 1\n'],
      ['return low', 'return high - 1'],
      ['let low = 0', 'let low = 1'],
    ],
  },
]

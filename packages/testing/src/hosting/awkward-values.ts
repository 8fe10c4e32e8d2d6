/** Values that stores change when they keep them as something else than text. */
export const VALUES: readonly (readonly [string, unknown])[] = [
  ['keys out of order', { z: 1, a: { y: 1, b: 2 }, 10: 'ten', 9: 'nine' }],
  ['characters that databases refuse', 'nul \u0000 half \ud800 \u001a end'],
  ['text of every script, and line ends', 'é ß 漢字 👩‍🚀 \u2028 \r\n "\\ \'; --'],
  ['empty lists and objects', { list: [], object: {}, nested: [[], [{}]] }],
  ['numbers', [0, -1, 1e21, 1e-9, 0.1, Number.MAX_SAFE_INTEGER]],
  ['null', null],
  ['a large text', '0123456789'.repeat(20_000)],
]

/** Identifiers that stores mix up when they compare, cut or join them. */
export const IDS: readonly string[] = [
  'a',
  'A',
  'a/b',
  'a:b',
  'a b',
  'ä',
  'a\u0308',
  '../a',
  '%2e',
  '{a}',
  '*',
  '__proto__',
  'constructor',
  'k'.repeat(200),
]

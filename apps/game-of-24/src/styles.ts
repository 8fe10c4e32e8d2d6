const NUMBER_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

const LIST_STYLES: readonly ((options: readonly string[], reflection: string) => string)[] = [
  (options, reflection) => writeList(options, reflection, (i) => `**Option ${i}**: `),
  (options, reflection) => writeList(options, reflection, (i) => `### Option ${i}\n`),
  (options, reflection) => writeList(options, reflection, (i) => `Option ${String.fromCharCode(64 + i)}) `),
  (options, reflection) => writeList(options, reflection, (i) => `${i}. `),
  (options, reflection) => writeList(options, reflection, (i) => `${i}) `),
  (options, reflection) => writeList(options, reflection, () => '- '),
  (options, reflection) => writeList(options, reflection, (i) => `- **Option ${i}:** `),
  (options, reflection) => JSON.stringify({ reflection, options }),
]

const RATING_STYLES: readonly ((rating: number, scale: number, why: string) => string)[] = [
  (rating, scale, why) => `On a scale of 1 to ${scale}, I would give this a ${rating}. ${why}`,
  (rating, scale, why) => `**Rating:** ${rating}/${scale}\n${why}`,
  (rating, _, why) => `${why}\n\nFinal rating: ${NUMBER_WORDS[rating] ?? rating}`,
  (rating, scale, why) => `${why} I rate it ${rating} out of ${scale}.`,
  (rating, _, why) => JSON.stringify({ rating, why }),
]

const BATCH_STYLES: readonly ((i: number, rating: number, scale: number, why: string) => string)[] = [
  (i, rating, scale, why) => `${i}. ${why}: ${rating}/${scale}`,
  (i, rating, _, why) => `**Option ${i}** (${why})\n**Rating:** ${rating}`,
  (i, rating, scale, why) => `- Option ${i}: on a scale of 1 to ${scale} I give it a ${rating}; ${why}`,
  (i, rating, _, why) => `| ${i} | ${rating} | ${why} |`,
]

/** A choice of style: null for the requested one, otherwise a number in [0, 1) that picks an odd one. */
export type Style = { readonly odd: number } | null

function writeList(options: readonly string[], reflection: string, label: (i: number) => string): string {
  const lines = options.map((option, i) => `${label(i + 1)}${option}`)
  return `REFLECTION:\n${reflection}\n\n**Possible Options:**\n${lines.join('\n')}`
}

const oneOf = <T>(styles: readonly T[], odd: number): T => styles[Math.floor(odd * styles.length)]!

/** Writes a thinker's reply. */
export const writeOptions = (options: readonly string[], reflection: string, style: Style): string =>
  style ? oneOf(LIST_STYLES, style.odd)(options, reflection) : writeList(options, reflection, (i) => `Option ${i}: `)

/** Writes a grader's reply. */
export const writeRating = (rating: number, scale: number, { why, style }: { why: string; style: Style }): string =>
  style ? oneOf(RATING_STYLES, style.odd)(rating, scale, why) : `Rating: ${rating}\n${why}`

/** Writes a grader's reply on several options. */
export const writeRatings = (rows: readonly { rating: number; why: string }[], scale: number, style: Style): string =>
  style
    ? rows.map(({ rating, why }, i) => oneOf(BATCH_STYLES, style.odd)(i + 1, rating, scale, why)).join('\n')
    : rows.map(({ rating, why }, i) => `Option ${i + 1}: Rating: ${rating} (${why})`).join('\n')

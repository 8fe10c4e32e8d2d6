const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

const LISTS: readonly ((options: readonly string[], reflection: string) => string)[] = [
  (options, reflection) => listed(options, reflection, (i) => `**Option ${i}**: `),
  (options, reflection) => listed(options, reflection, (i) => `### Option ${i}\n`),
  (options, reflection) => listed(options, reflection, (i) => `Option ${String.fromCharCode(64 + i)}) `),
  (options, reflection) => listed(options, reflection, (i) => `${i}. `),
  (options, reflection) => listed(options, reflection, (i) => `${i}) `),
  (options, reflection) => listed(options, reflection, () => '- '),
  (options, reflection) => listed(options, reflection, (i) => `- **Option ${i}:** `),
  (options, reflection) => JSON.stringify({ reflection, options }),
]

const RATINGS: readonly ((rating: number, scale: number, why: string) => string)[] = [
  (rating, scale, why) => `On a scale of 1 to ${scale}, I would give this a ${rating}. ${why}`,
  (rating, scale, why) => `**Rating:** ${rating}/${scale}\n${why}`,
  (rating, _, why) => `${why}\n\nFinal rating: ${WORDS[rating] ?? rating}`,
  (rating, scale, why) => `${why} I rate it ${rating} out of ${scale}.`,
  (rating, _, why) => JSON.stringify({ rating, why }),
]

const BATCHES: readonly ((i: number, rating: number, scale: number, why: string) => string)[] = [
  (i, rating, scale, why) => `${i}. ${why}: ${rating}/${scale}`,
  (i, rating, _, why) => `**Option ${i}** (${why})\n**Rating:** ${rating}`,
  (i, rating, scale, why) => `- Option ${i}: on a scale of 1 to ${scale} I give it a ${rating}; ${why}`,
  (i, rating, _, why) => `| ${i} | ${rating} | ${why} |`,
]

/** A choice of style: 0 for the one that was asked for, otherwise which odd one. */
export type Style = { readonly odd: number } | null

function listed(options: readonly string[], reflection: string, label: (i: number) => string): string {
  const lines = options.map((option, i) => `${label(i + 1)}${option}`)
  return `REFLECTION:\n${reflection}\n\n**Possible Options:**\n${lines.join('\n')}`
}

const oneOf = <T>(styles: readonly T[], odd: number): T => styles[Math.floor(odd * styles.length)]!

/** A thinker's reply. */
export const writeOptions = (options: readonly string[], reflection: string, style: Style): string =>
  style ? oneOf(LISTS, style.odd)(options, reflection) : listed(options, reflection, (i) => `Option ${i}: `)

/** A grader's reply. */
export const writeRating = (rating: number, scale: number, { why, style }: { why: string; style: Style }): string =>
  style ? oneOf(RATINGS, style.odd)(rating, scale, why) : `Rating: ${rating}\n${why}`

/** A grader's reply on several options. */
export const writeRatings = (rows: readonly { rating: number; why: string }[], scale: number, style: Style): string =>
  style
    ? rows.map(({ rating, why }, i) => oneOf(BATCHES, style.odd)(i + 1, rating, scale, why)).join('\n')
    : rows.map(({ rating, why }, i) => `Option ${i + 1}: Rating: ${rating} (${why})`).join('\n')

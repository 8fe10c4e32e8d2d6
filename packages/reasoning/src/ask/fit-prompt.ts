import { fitTexts } from '../read/shorten.ts'

const MAX_LENGTH = 200_000

/** Shortens the longest of the texts that a prompt is made of, so that it has no more than `max` characters. */
export function fitPrompt(
  name: string,
  texts: readonly string[],
  max: number = MAX_LENGTH,
): { readonly texts: readonly string[]; readonly warnings?: readonly string[] } {
  const fitted = fitTexts(texts, max)
  if (fitted === texts) return { texts }
  const what = `a prompt to \`${name}\` was longer than ${max} characters`
  return { texts: fitted, warnings: [`${what}: the middle of its longest texts is left out; see \`maxPromptLength\``] }
}

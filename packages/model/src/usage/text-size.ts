/** Characters of a text in one of the common alphabets that are about one token. */
const PER_TOKEN = 4

/** Tokens that a picture, a sound or a file is taken to have; its data say nothing of that. */
const MEDIA_TOKENS = 1500

/** Types of parts that are neither text nor calls. */
const MEDIA = /^(?:image|input_image|input_audio|audio|video|file|document)/u

/** Estimates the tokens of what a model reads or writes: of its JSON, at four characters a token. */
export const tokensIn = (value: unknown): number => Math.ceil(sizeOf(value) / PER_TOKEN)

/** Returns the most tokens that some input can have: as many as its JSON has bytes. Media count as an estimate. */
export const mostTokensIn = (value: unknown): number => sizeOf(value)

/** Size in characters; one that is written with several bytes may be a token of its own, and counts as four. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 2 + textSize(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + sizeOf(item), 2)
  if (value === undefined) return 0
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? String(value).length : 4
  const { type } = value as { type?: unknown }
  if (typeof type === 'string' && MEDIA.test(type)) return MEDIA_TOKENS * PER_TOKEN
  let size = 2
  for (const [key, item] of Object.entries(value)) if (item !== undefined) size += key.length + 4 + sizeOf(item)
  return size
}

function textSize(text: string): number {
  let size = text.length
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) size += PER_TOKEN - 1
  return size
}

import type { LowerContext, Media } from '@x/provider-kit'
import type { OpenAIKeys } from './config.ts'
import type { NamedProfile } from './endpoint-profile.ts'

/** Endpoints whose models all see images, as far as the catalogue does not say otherwise. */
const SEEING: ReadonlySet<string> = new Set(['openai', 'azure'])

/** Endpoints of chat completions that take files in messages of the user. */
const FILES: ReadonlySet<string> = new Set(['openai', 'azure', 'openrouter'])

/**
 * Makes the rule which images, sounds and files of a tool's result a model gets; text always, since it is sent as such. By
 * the Responses API it reads images and PDFs, by chat completions what a user may send there (`ResponseFunctionCallOutputItem`
 * and `ChatCompletionContentPart` of the SDK; https://platform.openai.com/docs/guides/function-calling).
 */
export function resultMediaRule(
  api: 'chat' | 'responses',
  { toolImages }: Pick<OpenAIKeys, 'toolImages'>,
  { name }: Pick<NamedProfile, 'name'>,
  abilities: LowerContext['abilities'],
): (media: Media) => boolean {
  const seesImages = toolImages ?? abilities?.includes('images') ?? SEEING.has(name)
  const takesFiles = api === 'responses' || FILES.has(name)
  return (media) => {
    if (media.type === 'stored') return seesImages && takesFiles
    if (media.type === 'link') return seesImages && (takesFiles || media.mediaType !== 'application/pdf')
    const { mediaType } = media
    if (mediaType.startsWith('text/')) return true
    if (mediaType.startsWith('audio/')) return api === 'chat' && abilities?.includes('audio') === true
    if (mediaType === 'application/pdf') return seesImages && takesFiles
    return seesImages && mediaType.startsWith('image/')
  }
}

import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { plainCause } from '../failure/plain-cause.ts'
import { createTransport } from '../http/transport.ts'
import { checkCatalogue } from './check-catalogue.ts'
import type { CatalogueData } from './model-facts.ts'

/** Options of `loadCatalogue`. */
export interface LoadCatalogueOptions {
  /** Sends the request; default: a lean transport. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Stops the request. */
  readonly signal?: AbortSignal | undefined
  /** Seconds the request may take; default 30. */
  readonly timeout?: number | undefined
}

const KINDS: OptionKinds<LoadCatalogueOptions> = {
  fetch: kind.call,
  signal: kind.having('an `AbortSignal`', 'addEventListener'),
  timeout: kind.timeout,
}

/** Largest text of a catalogue, in characters; the largest of the packages has 30,000. */
const MOST_TEXT = 10_000_000

/**
 * Loads facts about models, such as prices, from a URL of JSON or from an object, and checks them whole. Give the result to
 * `createOpenAI({ catalogue })` and its like; it wins over what the package knows. Fails with `invalid-config` for data of a
 * wrong form, naming the place.
 */
export async function loadCatalogue(
  source: string | URL | object,
  options: LoadCatalogueOptions = {},
): Promise<CatalogueData> {
  checkOptions(options, KINDS, 'run `loadCatalogue`')
  if (typeof source !== 'string' && !(source instanceof URL)) return checkCatalogue(source, 'the given object')
  const { url, shown } = checkedUrl(source)
  const text = await download(url, shown, options)
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    throw new XError(
      'invalid-config',
      `cannot load the catalogue from ${shown}: the text is not JSON; see what answers there`,
      {
        cause,
      },
    )
  }
  return checkCatalogue(data, shown)
}

function checkedUrl(source: string | URL): { readonly url: URL; readonly shown: string } {
  const url = URL.canParse(String(source)) ? new URL(source) : undefined
  if (url && /^https?:$/u.test(url.protocol)) return { url, shown: `\`${url.origin}${url.pathname}\`` }
  throw new XError(
    'invalid-argument',
    'cannot run `loadCatalogue`: its source is not an http or https URL; give one, or read the file and give the object',
  )
}

async function download(url: URL, shown: string, options: LoadCatalogueOptions): Promise<string> {
  const { fetch = createTransport(), signal, timeout = 30 } = options
  const limit = AbortSignal.timeout(timeout * 1000)
  try {
    const response = await fetch(url.href, { signal: signal ? AbortSignal.any([signal, limit]) : limit })
    if (!response.ok) throw new Error(`the answer has status ${response.status}`)
    return await limitedText(response)
  } catch (error) {
    if (signal?.aborted)
      throw new XError('aborted', `loading the catalogue from ${shown} was stopped`, { cause: error })
    const cause = plainCause(error, new Set([url.href, url.password].filter(Boolean)))
    const why = limit.aborted ? `it took longer than ${timeout} s` : (cause?.message ?? 'unknown')
    throw new XError(
      'invalid-config',
      `cannot load the catalogue from ${shown}: ${why}; try again, or give the object`,
      {
        cause,
      },
    )
  }
}

/** Reads a text and gives up when it is longer than any catalogue. */
async function limitedText(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true })
    if (text.length > MOST_TEXT) throw new Error(`the answer is longer than ${MOST_TEXT} characters`)
  }
  return text + decoder.decode()
}

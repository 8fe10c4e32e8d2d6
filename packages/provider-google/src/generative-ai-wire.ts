import {
  GoogleGenerativeAI,
  GoogleGenerativeAIError,
  GoogleGenerativeAIFetchError,
  type GenerateContentRequest,
  type GenerativeModel,
} from '@google/generative-ai'
import type { ConfigEntry } from '@x/interfaces'
import { modelFailure, secretsOf, type HttpRefusal, type LoweredRequest, type Wire } from '@x/provider-kit'
import { endpointOf, keyFor, ROOT } from './endpoint.ts'

/**
 * Makes the way to the provider through `@google/generative-ai`. Only its raw chunks are read: what it puts together from
 * a stream repeats the last of several calls and loses signatures.
 */
export function createGenerativeAiWire(config: ConfigEntry): Wire {
  const secrets = secretsOf(config)
  const { baseUrl, apiVersion } = endpointOf(config)
  const modelFor = async ({ model }: LoweredRequest): Promise<GenerativeModel> => {
    const sdk = new GoogleGenerativeAI(await keyFor(config, secrets))
    return sdk.getGenerativeModel(
      { model },
      {
        apiVersion,
        ...(baseUrl !== undefined && { baseUrl }),
        ...(config.defaultHeaders && { customHeaders: config.defaultHeaders }),
      },
    )
  }
  return {
    secrets,
    url: `${baseUrl ?? ROOT}/${apiVersion}`,
    complete: async (request, { signal }) => {
      const model = await modelFor(request)
      return (await model.generateContent(asRequest(request), { signal })).response
    },
    stream: async (request, { signal }) => {
      const model = await modelFor(request)
      const { stream, response } = await model.generateContentStream(asRequest(request), { signal })
      // Nobody waits for the aggregate: without this, its failure would be nobody's and end the process.
      response.catch(() => {})
      return oneByOne(stream)
    },
    refusalOf,
  }
}

const asRequest = ({ body }: LoweredRequest): GenerateContentRequest => body as never

/** Returns chunks one at a time, without a generator, which would cost as much as reading the chunk. */
function oneByOne(stream: AsyncGenerator): AsyncIterable<unknown[]> {
  const next = async (): Promise<IteratorResult<unknown[]>> => {
    try {
      const { done, value } = await stream.next()
      return done ? { done, value: undefined } : { done: false, value: [value] }
    } catch (error) {
      throw streamFailure(error)
    }
  }
  const giveBack = async (): Promise<IteratorResult<unknown[]>> => {
    await stream.return(undefined)
    return { done: true, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: giveBack }) }
}

function streamFailure(error: unknown): unknown {
  if (!(error instanceof GoogleGenerativeAIError)) return error
  if (/failed to parse stream/iu.test(error.message)) {
    return modelFailure('truncated', 'the stream ended in the middle of a piece')
  }
  if (/parsing json/iu.test(error.message)) {
    return modelFailure('server', 'the stream contains a piece that is not JSON')
  }
  return modelFailure('connection', 'the connection broke in the middle of the stream')
}

/** The SDK keeps neither headers nor body of a refusal, but its details. */
function refusalOf(error: unknown): HttpRefusal | undefined {
  if (!(error instanceof GoogleGenerativeAIFetchError)) return undefined
  const { status, errorDetails } = error
  const said = /\] (.*)$/su.exec(error.message.replace(/^\[[^\]]*\]:?\s*/u, ''))?.[1] ?? error.message
  const message = errorDetails ? said.replace(JSON.stringify(errorDetails), '').trim() : said
  return { ...(status !== undefined && { status }), body: { error: { message, details: errorDetails } } }
}

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

async function* oneByOne(stream: AsyncIterable<unknown>): AsyncGenerator<unknown[]> {
  try {
    for await (const chunk of stream) yield [chunk]
  } catch (error) {
    if (!(error instanceof GoogleGenerativeAIError)) throw error
    if (/failed to parse stream/iu.test(error.message)) {
      throw modelFailure('truncated', 'the stream ended in the middle of a piece', { cause: error })
    }
    if (/parsing json/iu.test(error.message)) {
      throw modelFailure('server', 'the stream holds a piece that is no JSON', { cause: error })
    }
    throw modelFailure('connection', 'the connection broke in the middle of the stream', { cause: error })
  }
}

/** The SDK keeps neither headers nor body of a refusal, but its details. */
function refusalOf(error: unknown): HttpRefusal | undefined {
  if (!(error instanceof GoogleGenerativeAIFetchError)) return undefined
  const { status, errorDetails } = error
  const said = /\] (.*)$/su.exec(error.message.replace(/^\[[^\]]*\]:?\s*/u, ''))?.[1] ?? error.message
  const message = errorDetails ? said.replace(JSON.stringify(errorDetails), '').trim() : said
  return { ...(status !== undefined && { status }), body: { error: { message, details: errorDetails } } }
}

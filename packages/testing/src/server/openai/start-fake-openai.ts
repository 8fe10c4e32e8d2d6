import { listenAsOpenAI, type FakeOpenAI, type OpenAIServerOptions } from './fake-openai.ts'
import { listenInThread } from './server-thread.ts'

/** Options of starting a fake server. */
export interface FakeOpenAIOptions extends OpenAIServerOptions {
  /**
   * Runs it in a thread of its own, so that a test that blocks this one can reach it. Its script must then be plain data.
   * Default false.
   */
  readonly thread?: boolean | undefined
}

/**
 * Starts a server on loopback that speaks OpenAI's chat completions, complete and streamed, and fails as it is told. With
 * no script it repeats the last message. Dispose of it when done (`await using`).
 */
export async function startFakeOpenAI({ thread = false, ...options }: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  return thread ? await listenInThread(options) : await listenAsOpenAI(options)
}

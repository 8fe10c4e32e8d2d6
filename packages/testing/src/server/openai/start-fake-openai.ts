import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { listenAsOpenAI, type FakeOpenAI, type OpenAIServerOptions } from './fake-openai.ts'
import { listenInThread } from './server-thread.ts'

/** Options of `startFakeOpenAI`. */
export interface FakeOpenAIOptions extends OpenAIServerOptions {
  /**
   * Runs the server in its own thread, so that blocking calls of this thread reach it; the replies must then be plain data.
   * Default false.
   */
  readonly thread?: boolean | undefined
}

/**
 * Starts a fake server on loopback for OpenAI's chat completions and Responses API, complete and streamed. Without replies it repeats the
 * last message. Close it with `await using` or `close`.
 */
export async function startFakeOpenAI(given: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  checkOptions(given, FAKE_OPENAI_KINDS, 'start a fake server')
  const { thread = false, ...options } = given
  return thread ? await listenInThread(options) : await listenAsOpenAI(options)
}

const FAKE_OPENAI_KINDS: OptionKinds<FakeOpenAIOptions> = {
  replies: kind.any,
  models: kind.object,
  whenEmpty: kind.any,
  strict: kind.flag,
  apiKey: kind.text,
  port: kind.whole(0),
  thread: kind.flag,
}

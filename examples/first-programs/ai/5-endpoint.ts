import { openai } from '@ai-sdk/openai'
import { createTextStreamResponse, streamText, toTextStream } from 'ai'

export async function POST(req: Request): Promise<Response> {
  const { message } = (await req.json()) as { message: string }
  const { stream } = streamText({
    model: openai('gpt-5-mini'),
    instructions: 'Be brief.',
    prompt: message,
    abortSignal: req.signal,
  })
  return createTextStreamResponse({ stream: toTextStream({ stream }) })
}

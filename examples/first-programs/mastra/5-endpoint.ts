import { Agent } from '@mastra/core/agent'

const agent = new Agent({ id: 'assistant', name: 'assistant', model: 'openai/gpt-5-mini', instructions: 'Be brief.' })

export async function POST(req: Request): Promise<Response> {
  const { message } = (await req.json()) as { message: string }
  const { textStream } = await agent.stream(message, { abortSignal: req.signal })
  return new Response(textStream.pipeThrough(new TextEncoderStream()))
}

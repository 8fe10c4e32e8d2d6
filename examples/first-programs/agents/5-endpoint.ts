import { Agent, run } from '@openai/agents'

const agent = new Agent({ name: 'assistant', model: 'gpt-5-mini', instructions: 'Be brief.' })

export async function POST(req: Request): Promise<Response> {
  const { message } = (await req.json()) as { message: string }
  const stream = await run(agent, message, { stream: true, signal: req.signal })
  return new Response(ReadableStream.from(stream.toTextStream()).pipeThrough(new TextEncoderStream()))
}

import { createAgent, openai } from '@x/kit'

const agent = createAgent({ name: 'assistant', model: openai('gpt-5-mini'), instructions: 'Be brief.' })

export async function POST(req: Request): Promise<Response> {
  const { message } = (await req.json()) as { message: string }
  return agent.runStream(message, { signal: req.signal }).toTextResponse()
}

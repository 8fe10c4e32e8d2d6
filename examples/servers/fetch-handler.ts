import { model } from './model.ts'
// #region program
import { createAgent } from '@x/kit'

const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.' })

export async function POST(request: Request): Promise<Response> {
  const { message } = (await request.json()) as { message: string }
  return agent.runStream(message, { signal: request.signal }).toTextResponse()
}
// #endregion

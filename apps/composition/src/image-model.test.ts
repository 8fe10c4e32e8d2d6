import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { google } from '@x/provider-google'
import { expect, test } from 'vitest'

test('X30: an image that the model of an agent made reaches the other agent', async () => {
  const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
  const content = { parts: [{ text: 'Here it is.' }, image] }
  const fetch = async (): Promise<Response> => Response.json({ candidates: [{ content, finishReason: 'STOP' }] })
  const config = { apiType: 'google', apiKey: 'key', model: 'gemini-3-pro-image', sdk: 'fetch', fetch }
  const painter = new AssistantAgent({
    name: 'painter',
    llmConfig: llmConfig({ providers: [google], configList: [config], cacheSeed: null }),
  })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })
  const { chatHistory } = await user.initiateChat(painter, { message: 'Paint.', maxTurns: 1, silent: true })
  expect(chatHistory.at(-1)!.content).toEqual([
    { type: 'text', text: 'Here it is.' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
  ])
})

import { expect, test } from 'vitest'
import { googleRefusal } from './google-refusal.ts'

const HI = { role: 'user', parts: [{ text: 'Hi' }] }
const call = (name: string, more: object = {}): object => ({ functionCall: { name, args: {} }, ...more })
const response = (name: string, more: object = {}): object => ({
  functionResponse: { name, response: { output: '' }, ...more },
})
const signed = call('f', { thoughtSignature: 's' })
const inline = (mimeType: string): object => ({ parts: [{ inlineData: { mimeType, data: 'AAAA' } }] })
const model = (...parts: object[]): object => ({ role: 'model', parts })
const user = (...parts: object[]): object => ({ role: 'user', parts })
const declared = [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }]

function refusal(body: object, name = 'gemini-2.5-flash'): string | undefined {
  const path = `/v1beta/models/${name}:generateContent`
  return googleRefusal({
    method: 'POST',
    path,
    query: {},
    headers: { 'x-goog-api-key': '<key>' },
    body: { contents: [HI], ...body },
  })?.message
}

test.each<[string, object, string?]>([
  ['a question', {}],
  ['parallel calls', { contents: [HI, model(call('f'), call('g')), user(response('f'), response('g'))] }],
  ['a signature on an empty text', { contents: [HI, model({ text: '', thoughtSignature: 's' }), HI] }],
  ['a JSON answer', { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: {} } }],
  [
    'a JSON answer beside tools, since Gemini 3',
    { tools: declared, generationConfig: { responseMimeType: 'application/json' } },
    'gemini-3-pro-preview',
  ],
  [
    'an image inside a result, since Gemini 3',
    { contents: [HI, model(signed), user(response('f', inline('image/png')))] },
    'gemini-3-pro-preview',
  ],
  ['a budget to think by itself', { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }],
])('takes %s', (_, body, name) => {
  expect(refusal(body, name)).toBeUndefined()
})

test.each<[object, RegExp, string?]>([
  [{ contents: [model({ text: 'Hi' })] }, /end with a user role/u],
  [{ contents: [HI, model(call('f')), HI] }, /number of function response parts/u],
  [{ contents: [HI, model(call('f'), call('g')), user(response('f'))] }, /number of function response parts/u],
  [{ contents: [HI, model(call('f')), user(response('g'))] }, /not called/u],
  [{ contents: [HI, model(call('f')), user(response('f', inline('image/png')))] }, /Multimodal function responses/u],
  [
    { contents: [HI, model(signed), user(response('f', inline('audio/wav')))] },
    /unsupported MIME/u,
    'gemini-3-pro-preview',
  ],
  [{ contents: [model(call('f')), user(response('f'))] }, /immediately after a user turn/u],
  [{ contents: [user({ text: '' })] }, /text parameter/u],
  [{ contents: [user()] }, /must not be empty/u],
  [{ contents: [user({ text: 'a', inlineData: { mimeType: 'image/png', data: '' } })] }, /oneof/u],
  [{ contents: [HI, model(call('f')), user(response('f'))] }, /thought_signature/u, 'gemini-3-pro-preview'],
  [{ generationConfig: { temperature: 3 } }, /temperature/u],
  [{ generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] } }, /stop_sequences/u],
  [{ generationConfig: { candidateCount: 9 } }, /candidate_count/u],
  [{ generationConfig: { responseJsonSchema: {} } }, /mime type/u],
  [{ tools: declared, generationConfig: { responseMimeType: 'application/json' } }, /unsupported/u],
  [{ generationConfig: { logprobs: 2 } }, /response_logprobs/u],
  [{ generationConfig: { presencePenalty: 1 } }, /Penalty/u],
  [{ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }, /budget/u, 'gemini-2.5-pro'],
  [{ generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }, /level/u],
  [{ generationConfig: { wisdom: 1 } }, /Cannot find field/u],
  [{ tools: declared, toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } } }, /ANY/u],
  [
    { tools: declared, toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['h'] } } },
    /not declared/u,
  ],
  [{ tools: [{ functionDeclarations: [{ name: '2nd' }] }] }, /Invalid function name/u],
])('refuses %j', (body, said, name) => {
  expect(refusal(body, name)).toMatch(said)
})

import type { ChatMessage } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { writeInput, writeOutput, writeValue } from './messages.ts'

const written = (...messages: ChatMessage[]): unknown => JSON.parse(writeInput(messages))

const CALL = { id: 'c1', function: { name: 'look', arguments: '{"at":"sea"}' } }

describe('messages in the form of the conventions', () => {
  it('have their texts, calls and results as parts', () => {
    expect(
      written(
        { role: 'system', content: 'Be brief.' },
        { role: 'user', name: 'ann', content: 'q' },
        { role: 'assistant', content: null, tool_calls: [CALL, { function: { name: 'old', arguments: 'no JSON' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'blue' },
        { role: 'function', name: 'old', content: 'done' },
        { role: 'assistant', content: '', function_call: { name: 'old', arguments: '{}' } },
      ),
    ).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
      { role: 'user', name: 'ann', parts: [{ type: 'text', content: 'q' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'tool_call', id: 'c1', name: 'look', arguments: { at: 'sea' } },
          { type: 'tool_call', name: 'old', arguments: 'no JSON' },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'blue' }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', response: 'done' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', name: 'old', arguments: {} }] },
    ])
  })

  it('have several results as one message', () => {
    const responses = ['a', 'b'].map((id) => ({
      tool_call_id: id,
      role: 'tool' as const,
      content: [{ type: 'text' as const, text: id }],
    }))
    expect(written({ role: 'tool', content: 'a\n\nb', tool_responses: responses })).toEqual([
      {
        role: 'tool',
        parts: ['a', 'b'].map((id) => ({ type: 'tool_call_response', id, response: [{ type: 'text', content: id }] })),
      },
    ])
  })

  it('tell of media without their bytes', () => {
    const text = writeInput([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://host.invalid/cat.png' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,SECRET' } },
          { type: 'input_audio', input_audio: { data: 'SECRET', format: 'wav' } },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,SECRET' } },
        ],
      },
    ])
    expect(text).not.toContain('SECRET')
    expect((JSON.parse(text) as { parts: object[] }[])[0]!.parts).toEqual([
      { type: 'uri', modality: 'image', uri: 'https://host.invalid/cat.png' },
      { type: 'blob', modality: 'image', mime_type: 'image/png', content: '' },
      { type: 'blob', modality: 'audio', mime_type: 'audio/wav', content: '' },
      { type: 'file', modality: 'document', file_id: 'file-1' },
      { type: 'blob', modality: 'document', filename: 'a.pdf', content: '' },
    ])
  })

  it('of an answer have the reason of its end', () => {
    const text = { role: 'assistant', parts: [{ type: 'text', content: 'six' }] }
    expect(JSON.parse(writeOutput('six', null))).toEqual([{ ...text, finish_reason: 'stop' }])
    expect(JSON.parse(writeOutput({ role: 'user', content: 'six' }, 'length'))).toEqual([
      { ...text, finish_reason: 'length' },
    ])
    expect(JSON.parse(writeOutput({ tool_calls: [CALL] }, 'tool_calls'))).toMatchObject([
      { finish_reason: 'tool_call' },
    ])
    expect(JSON.parse(writeOutput('', 'constructor'))).toEqual([
      { role: 'assistant', parts: [], finish_reason: 'constructor' },
    ])
  })

  it('have no text for a value that is no JSON', () => {
    expect(writeValue(10n)).toBeUndefined()
    expect(writeValue(undefined)).toBeUndefined()
  })
})

import { expect, it } from 'vitest'
import { chosenModel } from './chosen-model.ts'

it('says where the model is without the secrets of its address', () => {
  const chosen = chosenModel({ model: 'm', baseUrl: 'https://me:pass-word@host/v1?sig=signed&lang=en' }, {})
  expect(chosen!.words).toBe('The model is m, of https://[redacted]@host/v1?sig=[redacted]&lang=en.')
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { providerName, splitEndpoint } from './attributes.ts'

const { attributes } = JSON.parse(
  readFileSync(new URL('../conventions/gen-ai-1.41.0.json', import.meta.url), 'utf8'),
) as { attributes: Record<string, { values: string[] }> }

describe('the name of a provider', () => {
  it.each([
    ['api.openai.com', 'openai'],
    ['shop.openai.azure.com', 'azure.ai.openai'],
    ['api.anthropic.com:443', 'anthropic'],
    ['generativelanguage.googleapis.com', 'gcp.gemini'],
    ['europe-west1-aiplatform.googleapis.com', 'gcp.vertex_ai'],
    ['aiplatform.googleapis.com', 'gcp.vertex_ai'],
    ['bedrock-runtime.eu-west-1.amazonaws.com', 'aws.bedrock'],
    ['api.mistral.ai', 'mistral_ai'],
    ['eu-de.ml.cloud.ibm.com', 'ibm.watsonx.ai'],
  ])('follows from the host %s: %s', (host, name) => {
    expect(providerName('@x/provider-openai', host)).toBe(name)
    expect(attributes['gen_ai.provider.name']!.values).toContain(name)
  })

  it.each([
    ['@x/provider-openai', 'openai'],
    ['@acme/provider-anthropic', 'anthropic'],
    ['@x/provider-google', 'gcp.gen_ai'],
    ['@acme/own', '@acme/own'],
    [null, '_OTHER'],
  ])('else from the adapter %s: %s', (adapter, name) => {
    for (const host of ['127.0.0.1:11434', 'openai.com.evil.invalid', null])
      expect(providerName(adapter, host)).toBe(name)
  })
})

describe('an endpoint', () => {
  it.each([
    ['host.invalid', 'host.invalid', 443],
    ['host.invalid:8080', 'host.invalid', 8080],
    ['[::1]:80', '[::1]', 80],
    ['[::1]', '[::1]', 443],
  ])('%s is a host and a port', (endpoint, host, port) => {
    expect(splitEndpoint(endpoint)).toEqual({ host, port })
  })

  it('may be unknown', () => {
    for (const endpoint of [null, '']) expect(splitEndpoint(endpoint)).toBeUndefined()
  })
})

import { createCatalogue, type Catalogue, type CatalogueData } from '@x/provider-kit'
import type { EndpointName } from './endpoint-profiles.ts'
import { openaiFamilies } from './family-rules.ts'
import cerebras from './catalogue/cerebras.json' with { type: 'json' }
import deepseek from './catalogue/deepseek.json' with { type: 'json' }
import fireworks from './catalogue/fireworks.json' with { type: 'json' }
import gemini from './catalogue/gemini.json' with { type: 'json' }
import groq from './catalogue/groq.json' with { type: 'json' }
import mistral from './catalogue/mistral.json' with { type: 'json' }
import moonshot from './catalogue/moonshot.json' with { type: 'json' }
import openai from './catalogue/openai.json' with { type: 'json' }
import openrouter from './catalogue/openrouter.json' with { type: 'json' }
import perplexity from './catalogue/perplexity.json' with { type: 'json' }
import snowflake from './catalogue/snowflake.json' with { type: 'json' }
import together from './catalogue/together.json' with { type: 'json' }
import xai from './catalogue/xai.json' with { type: 'json' }

/** Models by endpoint; local servers have no table, and gateways serve the models of OpenAI. */
const CATALOGUES: Readonly<Partial<Record<EndpointName, CatalogueData>>> = {
  openai,
  azure: openai,
  compatible: openai,
  cerebras,
  deepseek,
  fireworks,
  gemini,
  groq,
  mistral,
  moonshot,
  openrouter,
  perplexity,
  snowflake,
  together,
  xai,
}

/** Limits, prices and abilities of OpenAI's models, with the day they were looked up. */
export const openaiCatalogue: CatalogueData = openai

/** Returns the models of an endpoint, and the families of OpenAI's; `own` data win. */
export function catalogueOf(endpoint: EndpointName, own: CatalogueData | undefined): Catalogue {
  const packaged = CATALOGUES[endpoint]
  return createCatalogue(...(own ? [own] : []), openaiFamilies, ...(packaged ? [packaged] : []))
}

import type { RequestTool } from './read-params.ts'

/** The inventor of a request parameter: a vendor of models, or makers of servers for open models (`open`). */
export type ParamVendor = 'openai' | 'anthropic' | 'google' | 'open'

/** Parameters that one vendor invented and others refuse; parameters that several vendors have in one form are not listed. */
const VENDOR_PARAMS: Readonly<Record<ParamVendor, string>> = {
  openai: `audio background conversation include instructions max_output_tokens max_tool_calls modalities moderation
    prediction previous_response_id prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier store
    text truncation web_search_options`,
  anthropic: `betas container inference_geo mcp_servers output_config output_format speed stop_sequences thinking`,
  google: `cached_content generation_config labels safety_settings thinking_config`,
  open: `chat_template_kwargs enable_thinking guided_grammar guided_json guided_regex include_reasoning keep_alive min_p
    models num_ctx plugins prompt_mode provider random_seed reasoning_format repetition_penalty route safe_prompt
    search_parameters think top_a transforms`,
}

/** Fields of function tools that one vendor invented and others refuse. */
const VENDOR_TOOL_FIELDS: Readonly<Partial<Record<ParamVendor, string>>> = {
  anthropic: 'allowed_callers cache_control eager_input_streaming input_examples',
  google: 'behavior response responseJsonSchema',
}

const PARAM_VENDORS = vendorsByName(VENDOR_PARAMS)
const TOOL_FIELD_VENDORS = vendorsByName(VENDOR_TOOL_FIELDS)

function vendorsByName(names: Readonly<Partial<Record<ParamVendor, string>>>): ReadonlyMap<string, ParamVendor> {
  return new Map(
    (Object.entries(names) as [ParamVendor, string][]).flatMap(([vendor, list]) =>
      list.split(/\s+/u).map((name) => [name, vendor] as const),
    ),
  )
}

/**
 * Returns the vendor that invented a request parameter or a field of function tools; undefined if several vendors have
 * it or the kit does not know it.
 */
export const vendorOf = (name: string, place: 'parameter' | 'tool' = 'parameter'): ParamVendor | undefined =>
  (place === 'tool' ? TOOL_FIELD_VENDORS : PARAM_VENDORS).get(name)

/** Fields that every adapter reads. */
const SHARED_TOOL_FIELDS: ReadonlySet<string> = new Set('type function name description parameters strict'.split(' '))

/**
 * Returns the further fields of a function tool, beside the function and in it, as one object; leaves out fields of other
 * vendors with a warning.
 */
export function toolExtras(
  tool: RequestTool,
  vendor: ParamVendor,
  warn: (topic: string, text: string) => void,
): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  for (const [key, value] of [...Object.entries(tool), ...Object.entries(tool.function ?? {})]) {
    if (SHARED_TOOL_FIELDS.has(key) || value === undefined) continue
    const inventor = vendorOf(key, 'tool')
    if (inventor === undefined || inventor === vendor) extras[key] = value
    else warn('tools', `the field \`${key}\` of tools was left out: only \`${inventor}\` knows it`)
  }
  return extras
}

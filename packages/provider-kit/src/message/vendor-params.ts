/** The inventor of a request parameter: a vendor of models, or makers of servers for open models (`open`). */
export type ParamVendor = 'openai' | 'anthropic' | 'google' | 'open'

/** Parameters that one vendor invented and others refuse; those that several have in one form are not listed. */
const NAMES: Readonly<Record<ParamVendor, string>> = {
  openai: `audio background conversation include instructions max_output_tokens max_tool_calls modalities moderation
    prediction previous_response_id prompt_cache_key prompt_cache_retention safety_identifier store text truncation
    web_search_options`,
  anthropic: `betas container inference_geo mcp_servers output_config output_format speed stop_sequences thinking`,
  google: `cached_content generation_config labels safety_settings thinking_config`,
  open: `chat_template_kwargs enable_thinking guided_grammar guided_json guided_regex include_reasoning keep_alive min_p
    models num_ctx plugins prompt_mode provider random_seed reasoning_format repetition_penalty route safe_prompt
    search_parameters think top_a transforms`,
}

const VENDORS: ReadonlyMap<string, ParamVendor> = new Map(
  Object.entries(NAMES).flatMap(([vendor, names]) =>
    names.split(/\s+/u).map((name) => [name, vendor as ParamVendor] as const),
  ),
)

/** Returns the vendor that invented a request parameter; undefined for one that several know, or nobody here. */
export const vendorOf = (parameter: string): ParamVendor | undefined => VENDORS.get(parameter)

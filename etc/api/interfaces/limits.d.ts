export interface Limits {
    readonly MAX_CONSECUTIVE_AUTO_REPLY: 100;
    readonly DEFAULT_CONFIG: false;
    readonly DEFAULT_SUMMARY_METHOD: 'last_msg';
    readonly DEFAULT_SUMMARY_PROMPT: 'Summarize the takeaway from the conversation. Do not add any introductory phrases.';
    readonly LEGACY_DEFAULT_CACHE_SEED: 41;
}

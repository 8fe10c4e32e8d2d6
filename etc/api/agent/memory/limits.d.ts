import type { Limits } from '@x/interfaces';
export declare const MAX_CONSECUTIVE_AUTO_REPLY: Limits['MAX_CONSECUTIVE_AUTO_REPLY'];
export declare const MAX_MESSAGES = 10000;
export declare const DEFAULT_CONFIG: Limits['DEFAULT_CONFIG'];
export declare const DEFAULT_SUMMARY_METHOD: Limits['DEFAULT_SUMMARY_METHOD'];
export declare const DEFAULT_SUMMARY_PROMPT: Limits['DEFAULT_SUMMARY_PROMPT'];
export declare const DEFAULT_SYSTEM_MESSAGE = "You are a helpful AI Assistant.";
export declare const MOST_CHATS_DEEP = 100;

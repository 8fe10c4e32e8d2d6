export type ParamVendor = 'openai' | 'anthropic' | 'google' | 'open';
export declare const vendorOf: (parameter: string) => ParamVendor | undefined;

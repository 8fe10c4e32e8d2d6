export interface RegisterToolOptions {
    readonly name?: string | undefined;
    readonly description?: string | undefined;
}
export type RegistrationName = 'registerReply' | 'registerNestedChats' | 'clearHistory' | 'loadState' | 'updateFunctionSignature' | 'updateToolSignature' | 'registerForLlm' | 'registerForExecution';
export declare function checkRegistration(operation: RegistrationName, options: unknown, agent: string): void;

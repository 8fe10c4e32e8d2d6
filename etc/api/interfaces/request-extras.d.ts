export interface RequestExtras {
    extra_body?: Readonly<Record<string, unknown>> | null | undefined;
    extra_headers?: Readonly<Record<string, string | null>> | null | undefined;
    includeRaw?: boolean | null | undefined;
    providerOptions?: {
        readonly [provider: string]: Readonly<Record<string, unknown>> | undefined;
    } | null | undefined;
}

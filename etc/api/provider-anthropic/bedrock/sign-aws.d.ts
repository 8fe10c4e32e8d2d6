export interface AwsCredentials {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
}
interface RequestToSign {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
}
interface SigningScope {
    readonly credentials: AwsCredentials;
    readonly region: string;
    readonly service: string;
    readonly now: number;
}
export declare function signAws({ method, url, headers, body }: RequestToSign, { credentials, region, service, now }: SigningScope): Promise<Record<string, string>>;
export {};

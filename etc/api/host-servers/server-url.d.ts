export interface ServerUrl {
    readonly protocol: RegExp;
    readonly example: string;
    readonly isReadable?: (url: string) => boolean;
}
export declare function urlProblem(url: unknown, { protocol, example, isReadable }: ServerUrl): string | undefined;

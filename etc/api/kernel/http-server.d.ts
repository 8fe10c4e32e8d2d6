interface ListenAddress {
    readonly port: number;
    readonly host: string;
}
interface OpenServer {
    readonly url: string;
    readonly close: () => Promise<void>;
}
export declare function listenOn(handle: (request: Request) => Promise<Response>, { port, host }: ListenAddress): Promise<OpenServer>;
export {};

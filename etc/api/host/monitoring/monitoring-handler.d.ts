import type { Host } from '../host.ts';
interface HttpRequest {
    readonly method?: string | undefined;
    readonly url?: string | undefined;
}
interface HttpResponse {
    writeHead(status: number, headers: Record<string, string>): unknown;
    end(body?: string): unknown;
}
type MonitoringHandler = (request: HttpRequest, response: HttpResponse) => boolean;
export declare function monitoringHandler(host: Pick<Host, 'health' | 'metrics'>): MonitoringHandler;
export {};

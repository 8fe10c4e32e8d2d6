import type { SearchEvent, SearchUsage } from '@x/interfaces';
export declare class SearchProgress {
    #private;
    readonly used: SearchUsage;
    nodes: number;
    running: number;
    failures: number;
    take(event: SearchEvent): void;
    line(width?: number): string;
}

import type { SearchUsage, XEvent } from '@x/interfaces';
export declare class SearchProgress {
    #private;
    readonly used: SearchUsage;
    failures: number;
    get nodes(): number;
    get running(): number;
    take(event: XEvent): void;
    line(width?: number): string;
}

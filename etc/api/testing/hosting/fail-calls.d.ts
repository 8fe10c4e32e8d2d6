import type { HostBackend } from '@x/interfaces';
export declare function failCalls(backend: HostBackend, fails: (name: string, args: readonly unknown[]) => 'before' | 'after' | undefined): HostBackend;

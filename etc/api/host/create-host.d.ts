import { type HostOptions } from './host-options.ts';
import type { Host } from './host.ts';
export declare function createHost(options: HostOptions): Host;

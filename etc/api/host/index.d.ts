export { createHost } from './create-host.ts';
export { defineChat } from './define-chat.ts';
export type { ChatDefinition, ChatRun, DefinedChat } from './defined-chat.ts';
export type { Host, HostHealth } from './host.ts';
export type { HostBudgetOptions, HostOptions } from './host-options.ts';
export type { MetricGauge } from './monitoring/gauges.ts';
export { monitoringHandler } from './monitoring/monitoring-handler.ts';
export { sqlite, type SqliteOptions } from './sqlite/sqlite.ts';

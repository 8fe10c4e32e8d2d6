export { createHost } from './create-host.ts';
export { defineChat, type ChatDefinition, type ChatRun, type DefinedChat, type PerformOptions } from './define-chat.ts';
export type { Host, HostHealth } from './host.ts';
export type { EventsOptions, HostOptions, ListOptions, SubmitOptions, WorkOptions } from './host-options.ts';
export type { BudgetPeriod } from './shared/budget-period.ts';
export type { HostBudgetOptions, HostLimiterOptions } from './shared/shared-options.ts';
export type { MetricGauge } from './monitoring/gauges.ts';
export { monitoringHandler, type MonitoringHandler } from './monitoring/monitoring-handler.ts';
export { sqlite, type SqliteOptions } from './sqlite/sqlite.ts';

import type { AnswerDetails, Budget, ChatMessage, ConfigEntry, Io, Model, ModelErrorKind, ModelParams, Provider } from '@x/interfaces';
import type { WireMeaning } from './meaning.ts';
export interface ProviderRecording {
    readonly name: string;
    readonly whole: string;
    readonly stream: string;
    readonly says: {
        readonly text: string;
        readonly calls?: readonly {
            readonly name: string;
            readonly arguments: string;
        }[] | undefined;
        readonly finish: string;
        readonly details?: AnswerDetails | undefined;
        readonly reasoning?: string | undefined;
        readonly usage: RecordedUsage | null;
    };
}
export interface RecordedUsage {
    readonly prompt: number;
    readonly completion: number;
    readonly cached?: number | undefined;
    readonly reasoning?: number | undefined;
}
export interface ProviderFailure {
    readonly status: number;
    readonly body: string;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly kind: ModelErrorKind;
    readonly retryAfterMs?: number | undefined;
}
interface AccountedModel extends Model {
    readonly ledger: readonly {
        readonly usage: {
            readonly cost: number | null;
        };
        readonly estimated?: boolean | undefined;
    }[];
}
export interface BillingModel {
    readonly ModelWrapper: new (options: ConfigEntry & {
        readonly providers: readonly Provider[];
        readonly configList: readonly ConfigEntry[];
        readonly io: Io;
    }) => AccountedModel;
    readonly createBudget: (options: {
        readonly cost?: number;
        readonly calls?: number;
        readonly strict: boolean;
        readonly minTokens: number;
    }) => Budget;
}
export interface ProviderContract {
    readonly provider: Provider;
    readonly config: ConfigEntry;
    readonly recordings?: readonly ProviderRecording[] | undefined;
    readonly meaning?: WireMeaning | undefined;
    readonly failures: readonly ProviderFailure[];
    readonly errorFrame?: {
        readonly text: string;
        readonly kind: ModelErrorKind;
    } | undefined;
    readonly unknownFrame: string;
    readonly skip?: readonly {
        readonly test: string;
        readonly reason: string;
    }[] | undefined;
    readonly globalFetch?: boolean | undefined;
    readonly model?: BillingModel | undefined;
    readonly params?: Omit<ModelParams, 'messages'> & {
        readonly messages?: readonly ChatMessage[] | undefined;
    };
}
export interface CompleteContract extends ProviderContract {
    readonly recordings: readonly FramedRecording[];
}
export interface FramedRecording extends ProviderRecording {
    readonly frames?: readonly string[] | undefined;
}
export declare const CANARY_KEY = "sk-canary-3f9a1c7e5b2d";
export {};

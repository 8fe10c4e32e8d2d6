import type { MaybePromise, Run, SearchUsage } from '@x/interfaces';
export interface ContractNode {
    readonly id: string;
    readonly parent: ContractNode | null;
    readonly children: readonly ContractNode[];
    readonly content: string;
    readonly depth: number;
    readonly value: number;
    readonly grade: number | null;
}
export interface ContractOption {
    content: string;
    output?: string | null | undefined;
    grade?: number | null | undefined;
}
export interface ContractGrade {
    value: number | null;
    details: string;
}
export interface ContractParts {
    readonly proposer: {
        propose(request: {
            readonly node: ContractNode;
            readonly sample: number;
        }, run: Run): MaybePromise<{
            readonly text: string;
            readonly reflection: string;
            readonly options: readonly ContractOption[];
        }>;
    };
    readonly grader: {
        grade(request: {
            readonly nodes: readonly ContractNode[];
            readonly sample: number;
        }, run: Run): MaybePromise<{
            readonly grades: readonly ContractGrade[];
        }>;
    };
    readonly answerer: {
        answer(request: {
            readonly from: readonly ContractNode[];
            readonly sample: number;
        }, run: Run): MaybePromise<{
            readonly text: string;
        }>;
        merge?(request: {
            readonly answers: readonly string[];
            readonly sample: number;
        }, run: Run): MaybePromise<{
            readonly text: string;
        }>;
    };
}
export type ContractOutcome = {
    kind: 'expand';
    text: string;
    reflection: string;
    options: ContractOption[];
} | {
    kind: 'grade';
    grades: ContractGrade[];
} | {
    kind: 'answer' | 'merge';
    text: string;
    verdict: {
        accepted: boolean;
        score: number;
        reason: string | null;
    } | null;
} | {
    kind: 'failed';
    code: string;
    message: string;
};
export interface ContractRecord {
    outcome: ContractOutcome;
    used: SearchUsage;
}
export interface ContractSearchOptions<M> extends ContractParts {
    readonly method: M;
    readonly budget?: {
        calls: number;
    } | undefined;
    readonly concurrency?: number | undefined;
    readonly repair?: boolean | undefined;
    readonly verifier?: ((answer: string) => boolean) | undefined;
    readonly journal?: {
        get(job: string): ContractRecord | undefined;
        set(job: string, record: ContractRecord): void;
    } | undefined;
}
export interface ContractSearchResult {
    readonly answer: string | null;
    readonly status: string;
    readonly trees: readonly ContractNode[];
    readonly used: {
        readonly calls: number;
    };
}
export interface ContractJob {
    readonly kind: 'expand' | 'grade' | 'answer' | 'merge';
    readonly id: string;
    readonly sample: number;
}
export interface ContractStrategy {
    readonly trees: readonly {
        readonly root: ContractNode;
    }[];
    readonly answer: {
        readonly text: string | null;
    } | null;
    readonly jobs?: {
        readonly size: number;
        has(job: ContractJob): boolean;
    } | undefined;
    ask(): readonly ContractJob[];
    tell(job: ContractJob, outcome: ContractOutcome): void;
    best(): {
        readonly text: string | null;
    };
    conclude?(): void;
}
export type ContractMethod = (task: {
    readonly question: string;
    readonly id: string;
    readonly sample: number;
    readonly stride: number;
    readonly random: (position: string) => number;
    readonly verified: boolean;
}) => ContractStrategy;
export interface SearchMethodContract<M extends ContractMethod> {
    readonly name: string;
    readonly method: M;
    readonly search: (question: string, options: ContractSearchOptions<M> & {
        readonly signal?: AbortSignal | undefined;
    }) => Promise<ContractSearchResult>;
    readonly searchSync: (question: string, options: ContractSearchOptions<M>) => ContractSearchResult;
    readonly parts?: ContractParts | undefined;
    readonly question?: string | undefined;
}

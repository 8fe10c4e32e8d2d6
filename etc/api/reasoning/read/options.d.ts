export interface ThinkerReply {
    reflection: string;
    options: string[];
}
export declare function readOptions(reply: string): ThinkerReply;

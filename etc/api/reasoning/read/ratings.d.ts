export interface OptionRating {
    rating: number | null;
    details: string;
}
export declare function readRatings(reply: string, count: number, scale: number): OptionRating[];

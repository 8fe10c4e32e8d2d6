export interface ReadRating {
    rating: number | null;
    details: string;
}
export declare function readRatings(reply: string, count: number, scale: number): ReadRating[];

<?php
// The hashes by which a supplier and the platform compare ARI (PHP 8.0 or later; nothing else is needed).
declare(strict_types=1);

const FLAGS = ['closed', 'closedToArrival', 'closedToDeparture'];
const LIMITS = ['minLengthStay', 'maxLengthStay', 'minStayArrival', 'maxStayArrival', 'minAdvanceDays', 'maxAdvanceDays'];
const LATER = []; // restrictions that the contract gained later
const ZERO_LIMITS = ['maxAdvanceDays']; // 0 is a limit: on the day itself; of the others, 0 is nothing
const GROUPS = ['inv', 'res', 'pri'];

/** The lines of a night, without its date: what is set on it, for a room (without rateId) or a room-rate. */
function lines(array $night): array
{
    $flags = array_map(fn($flag) => empty($night[$flag]) ? '0' : '1', FLAGS);
    $isZero = fn($limit) => in_array($limit, ZERO_LIMITS, true) && ($night[$limit] ?? null) === 0;
    $limits = array_map(fn($limit) => $isZero($limit) ? '0' : (string) (($night[$limit] ?? 0) ?: ''), LIMITS);
    $set = array_values(array_filter(LATER, fn($name) => !empty($night[$name])));
    $later = array_map(fn($name) => "$name=" . (int) $night[$name], $set);
    [$flags, $rest] = isset($night['rateId']) ? [$flags, [...$limits, ...$later]] : [[$flags[0]], []];
    $prices = [];
    foreach ($night['prices'] ?? [] as $bucket => $amount) {
        $prices[] = "$bucket=$amount";
    }
    sort($prices, SORT_STRING);
    $model = isset($night['prices']['u']) ? 'unit' : 'guest';
    return [
        'inv' => isset($night['inventory']) ? (string) max(0, $night['inventory']) : '',
        'res' => in_array('1', $flags, true) || implode($rest) !== '' ? implode('|', [...$flags, ...$rest]) : '',
        'pri' => $prices === [] ? '' : "$model|" . implode(',', $prices),
    ];
}

function names(array $entry, string ...$more): array
{
    return array_intersect_key($entry, array_flip(['roomId', 'rateId', ...$more]));
}

/** The name of a room or room-rate in its hotel's hash. */
function key_of(array $entry): string
{
    $encoded = fn($code) => preg_replace_callback('/[%|\/\p{Cc}]/u', fn($found) => rawurlencode($found[0]), $code);
    return implode('/', array_map($encoded, array_values(names($entry))));
}

/** Of a month from its nights' lines (`|`), of a room-rate from its months and a hotel from its room-rates (`:`). */
function hashes(array $parts, string $glue): array
{
    ksort($parts, SORT_STRING);
    $found = [];
    foreach (GROUPS as $group) {
        $text = '';
        foreach ($parts as $name => $part) {
            $text .= $part[$group] === '' ? '' : "$name$glue$part[$group]\n";
        }
        $found[$group] = $text === '' ? '' : substr(hash('sha256', $text), 0, 32);
    }
    return $found;
}

/** The hotel's hashes, and those of every month of its rooms and room-rates with their names. */
function digests(array $nights): array
{
    [$days, $entries, $months, $products] = [[], [], [], []];
    foreach ($nights as $night) {
        $entries[key_of($night)] = names($night);
        $days[key_of($night)][substr($night['date'], 0, 7)][$night['date']] = lines($night);
    }
    foreach ($days as $key => $parts) {
        $of = array_map(fn($part) => hashes($part, '|'), $parts);
        $products[$key] = hashes($of, ':');
        foreach ($of as $month => $part) {
            $months[] = [...$entries[$key], 'month' => $month, ...$part];
        }
    }
    return [hashes($products, ':'), $months];
}

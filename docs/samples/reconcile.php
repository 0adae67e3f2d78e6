<?php
// ARI_URL=https://… ARI_KEY=… php reconcile.php H1 nights.json 2 (PHP 8.1 or later; 2: decimals of the currency).
declare(strict_types=1);
require __DIR__ . '/ari-digest.php';

function call(string $path, array $body): array
{
    $headers = "content-type: application/json\r\nx-api-key: " . getenv('ARI_KEY');
    $http = ['method' => 'POST', 'header' => $headers, 'content' => json_encode($body), 'ignore_errors' => true];
    $answer = json_decode(file_get_contents(getenv('ARI_URL') . "/v1/push/$path", false, stream_context_create(['http' => $http])), true);
    return $answer['code'] < '300' ? $answer : throw new RuntimeException($answer['message']);
}

/** The names of what differs, of all pages. */
function differing(string $name, array $body): array
{
    $answer = call('getAriDigest', $body);
    $entries = [...$answer['differs'], ...$answer['onlyHere'], ...$answer['onlyThere']];
    $found = array_map(fn($entry) => names($entry, $name), $entries);
    $cursor = $answer['nextCursor'];
    return $cursor === null ? $found : [...$found, ...differing($name, [...$body, 'cursor' => $cursor])];
}

/** Everything of a night: an overlay clears what a rate line doesn't name, and a room's own values are cleared by null. */
function item(array $night, int $decimals): array
{
    if (!isset($night['rateId'])) {
        return [...names($night, 'date'), 'inventory' => $night['inventory'] ?? null, 'closed' => !empty($night['closed'])];
    }
    $line = array_intersect_key($night, array_flip(['rateId', 'inventory', ...FLAGS, ...LIMITS, ...LATER]));
    foreach ($night['prices'] ?? [] as $bucket => $amount) {
        $category = ['a' => 'adult', 'c' => 'child', 'i' => 'infant'][$bucket[0]] ?? null;
        $line['pricingModel'] = $category === null ? 'unit' : 'guest';
        $line['prices'][] = ['amount' => number_format($amount / 10 ** $decimals, $decimals, '.', '')]
            + ($category === null ? [] : ['ageCategory' => $category, 'guests' => (int) substr($bucket, 1)]);
    }
    return ['roomId' => $night['roomId'], 'date' => $night['date'], 'rates' => [$line]];
}

[, $hotelId, $file, $decimals] = $argv;
$nights = json_decode(file_get_contents($file), true);
$dates = array_column($nights, 'date');
// From the hotel to its months to their days; then the days that differ are pushed.
$body = ['hotelId' => $hotelId, 'from' => min($dates), 'to' => max($dates)];
$answer = call('getAriDigest', [...$body, 'level' => 'hotel']);
$body['from'] = $answer['effectiveFrom'];
$nights = array_filter($nights, fn($night) => $night['date'] >= $body['from']);
[$hotel, $months] = digests($nights);
$days = [];
if ($hotel != $answer['hotel'] + ['inv' => '', 'res' => '', 'pri' => '']) {
    $within = differing('month', [...$body, 'level' => 'month', 'known' => $months]);
    $wanted = array_fill_keys(array_map(fn($entry) => key_of($entry) . ' ' . $entry['month'], $within), true);
    $ofMonths = array_filter($nights, fn($night) => isset($wanted[key_of($night) . ' ' . substr($night['date'], 0, 7)]));
    $known = array_map(fn($night) => [...names($night, 'date'), ...lines($night)], array_values($ofMonths));
    $days = differing('date', [...$body, 'level' => 'day', 'known' => $known, 'within' => $within]);
}
$byName = array_combine(array_map(fn($night) => key_of($night) . " $night[date]", $nights), $nights);
$items = array_map(fn($day) => item($byName[key_of($day) . " $day[date]"] ?? $day, (int) $decimals), $days);
foreach (array_chunk($items, 1000) as $ari) {
    call('ari', ['hotelId' => $hotelId, 'mode' => 'overlay', 'ari' => $ari]);
}
echo count($items), " nights pushed again\n";

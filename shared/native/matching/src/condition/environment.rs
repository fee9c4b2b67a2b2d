//! The environment of match conditions: the functions of CEL and of Kubernetes.
//!
//! Sources: `pkg/cel/environment/base.go` and `pkg/cel/library` of k8s.io/apiserver at 24a394e51.

use std::sync::{Arc, LazyLock};

use cel::{DeclarationError, Env, extensions};

use crate::condition::{budget, functions, rewrite};

/// The environment, which all conditions share.
pub(crate) static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    // A declaration fails only if a name is declared twice. A test calls every function, so that
    // none can be missing.
    drop(declare(&mut env));
    Arc::new(env)
});

/// Operators and macros, as the parser names them.
const OPERATORS: &[&str] = &[
    "!_",
    "-_",
    "@in",
    "@not_strictly_false",
    "_!=_",
    "_%_",
    "_&&_",
    "_*_",
    "_+_",
    "_-_",
    "_/_",
    "_<=_",
    "_<_",
    "_==_",
    "_>=_",
    "_>_",
    "_?._",
    "_?_:_",
    "_[?_]",
    "_[_]",
    "_||_",
];

/// The functions of the standard library, and of the libraries `strings` and `lists` of cel-go.
const FUNCTIONS: &[&str] = &[
    "bool",
    "bytes",
    "charAt",
    "contains",
    "distinct",
    "double",
    "dyn",
    "endsWith",
    "flatten",
    "format",
    "hasValue",
    "indexOf",
    "int",
    "join",
    "lastIndexOf",
    "lists.range",
    "lowerAscii",
    "optional.none",
    "optional.of",
    "optional.ofNonZeroValue",
    "or",
    "orValue",
    "replace",
    "reverse",
    "size",
    "slice",
    "sort",
    "@sortByAssociatedKeys",
    "split",
    "startsWith",
    "string",
    "strings.quote",
    "substring",
    "trim",
    "type",
    "uint",
    "upperAscii",
    "value",
];

/// Returns whether the environment has a function.
pub(crate) fn has_function(name: &str) -> bool {
    let of_kubernetes = || functions::NAMES.iter().any(|names| names.contains(&name));
    OPERATORS.contains(&name) || FUNCTIONS.contains(&name) || of_kubernetes()
}

fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_extension(extensions::strings)?;
    env.add_extension(extensions::lists)?;
    rewrite::declare(env)?;
    functions::declare(env)?;
    budget::declare(env)
}

#[cfg(test)]
mod tests {
    use cel::{Context, Value};

    use super::*;

    fn evaluate(expression: &str) -> Result<Value, String> {
        let program = ENVIRONMENT.compile(expression).map_err(|errors| errors.to_string())?;
        program.execute(&Context::with_env(Arc::clone(&ENVIRONMENT))).map_err(|error| error.to_string())
    }

    /// Expressions that are true, for every function.
    const TRUE: &[&str] = &[
        // The standard library.
        "bool('true') && int('1') == 1 && uint(1) == 1u && double('1.5') == 1.5 && string(1) == '1'",
        "bytes('a') == b'a' && dyn(1) == 1 && type(1) == int && size('ä') == 1 && size([1]) == 1",
        "'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c') && 'abc'.matches('^a.c$')",
        "matches('abc', 'b') && 1 in [1] && 'a' in {'a': 1} && !false && -(1) == 0 - 1 && 5 % 3 == 2",
        "1 + 1 == 2 && 2 * 3 == 6 && 6 / 3 == 2 && 1 < 2 && 1 <= 1 && 2 > 1 && 2 >= 2 && 1 != 2",
        "(true ? 1 : 2) == 1 && [1, 2][0] == 1 && (false || true)",
        // Optional values.
        "{'a': 1}.?a.orValue(2) == 1 && {'a': 1}.?b.orValue(2) == 2 && {'a': 1}[?'b'].orValue(3) == 3",
        "optional.of(1).hasValue() && optional.of(1).value() == 1 && !optional.none().hasValue()",
        "!optional.ofNonZeroValue(0).hasValue() && optional.none().or(optional.of(2)).value() == 2",
        "optional.of(1).optMap(x, x + 1).value() == 2 && optional.of(1).optFlatMap(x, optional.of(x)).value() == 1",
        "[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && ![].first().hasValue() && ![].last().hasValue()",
        "optional.unwrap([optional.of(42), optional.none()]) == [42] && [optional.of(1)].unwrapOpt() == [1]",
        // Macros.
        "[1, 2].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2].exists_one(x, x == 2)",
        "[1, 2].map(x, x * 2) == [2, 4] && [1, 2].filter(x, x > 1) == [2] && has({'a': 1}.a)",
        "[1, 2].map(x, x > 1, x * 2) == [4] && {'a': 1}.all(k, k == 'a')",
        // Strings.
        "'abc'.charAt(1) == 'b' && 'abcb'.indexOf('b') == 1 && 'abcb'.lastIndexOf('b') == 3",
        "'abcb'.indexOf('b', 2) == 3 && 'ABC'.lowerAscii() == 'abc' && 'abc'.upperAscii() == 'ABC'",
        "'a b'.replace(' ', '-') == 'a-b' && 'a,b,c'.split(',') == ['a', 'b', 'c'] && 'abc'.substring(1) == 'bc'",
        "'abc'.substring(1, 2) == 'b' && ' a '.trim() == 'a' && ['a', 'b'].join('-') == 'a-b' && ['a'].join() == 'a'",
        "'%s is %d'.format(['a', 1]) == 'a is 1' && strings.quote('a') == '\"a\"'",
        // Lists.
        "[1, 2, 3].slice(1, 2) == [2] && [[1], [2]].flatten() == [1, 2] && [1, 1].distinct() == [1]",
        "[1, 2].reverse() == [2, 1] && [2, 1].sort() == [1, 2] && lists.range(2) == [0, 1]",
        "[-1, -2].sortBy(x, x) == [-2, -1]",
        "[1, 2, 2].isSorted() && ![2, 1].isSorted() && ['a', 'b'].isSorted() && [].isSorted()",
        "[1, 2].sum() == 3 && [1.5, 2.0].sum() == 3.5 && [1u].sum() == 1u && [].sum() == 0",
        "[3, 1, 2].min() == 1 && [3, 1].max() == 3 && ['b', 'a'].min() == 'a' && [1.5].max() == 1.5",
        "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(2) == -1 && ['a'].lastIndexOf('b') == -1",
        // Sets.
        "sets.contains([1, 2], [2]) && !sets.contains([1], [2]) && sets.contains([1], [])",
        "sets.equivalent([1, 2], [2, 1, 1]) && !sets.equivalent([1], [1, 2])",
        "sets.intersects([1, 2], [2, 3]) && !sets.intersects([1], [2])",
        // Regular expressions.
        "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('x') == ''",
        "'a1 b2'.findAll('[a-z][0-9]') == ['a1', 'b2'] && 'a1 b2'.findAll('[0-9]', 1) == ['1']",
        "'a1'.findAll('[0-9]', 0) == [] && 'a1 2'.findAll('[0-9]', -1) == ['1', '2'] && 'baac'.findAll('a*') == ['', 'aa', '']",
        // Quantities.
        "quantity('500m').compareTo(quantity('0.5')) == 0 && quantity('1Gi').isGreaterThan(quantity('1G'))",
        "quantity('1k').isLessThan(quantity('1Ki')) && quantity('1e3') == quantity('1k') && quantity('1E') == quantity('1e18')",
        "sign(quantity('-1')) == -1 && sign(quantity('0')) == 0 && sign(quantity('.5')) == 1 && quantity('+5.') == quantity('5')",
        "quantity('1').add(quantity('500m')) == quantity('1500m') && quantity('1').add(2) == quantity('3')",
        "quantity('1').sub(quantity('500m')) == quantity('500m') && quantity('1').sub(2) == quantity('-1')",
        // Smaller values than a billionth are rounded up.
        "quantity('0.1n') == quantity('1n') && quantity('1e-99') == quantity('1n') && quantity('1.5Ki') == quantity('1536')",
        "isQuantity('1.5Gi') && isQuantity('1e-3') && isQuantity('5E')",
        "!isQuantity('1.5K') && !isQuantity('') && !isQuantity('Gi') && !isQuantity('1e') && !isQuantity('1 Gi') && !isQuantity('1.2.3')",
        "quantity('50k').isInteger() && quantity('50000000G').isInteger() && quantity('50').isInteger() && quantity('2Gi').isInteger()",
        "quantity('50k').asInteger() == 50000 && quantity('2Ki').asInteger() == 2048 && quantity('-5').asInteger() == -5",
        // The form decides, not the value.
        "!quantity('1.0').isInteger() && !quantity('1000m').isInteger() && !quantity('1.5Ki').isInteger() && quantity('0').isInteger()",
        "!quantity('0m').isInteger() && !quantity('123456789012Ki').isInteger() && quantity('12345678901Ki').isInteger()",
        "quantity('50k').add(20).sub(quantity('100k')).asInteger() == -49980 && !quantity('1').add(quantity('500m')).isInteger()",
        "!quantity('500m').add(quantity('500m')).isInteger() && quantity('0m').add(1).isInteger()",
        "quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger() == 20",
        "quantity('50.703k').asApproximateFloat() == 50703.0 && quantity('1.5Ki').asApproximateFloat() == 1536.0",
        "quantity('500m').asApproximateFloat() == 0.5 && quantity('1').add(quantity('1.5Ki')).asApproximateFloat() == 1537.0",
        "quantity('-2Gi').asApproximateFloat() == -2147483648.0 && quantity('1e3').asApproximateFloat() == 1000.0",
        // Durations: the units and the fractions of Go.
        "duration('1h30m') == duration('90m') && duration('1.5h') == duration('5400s') && duration('-1m') < duration('0')",
        "duration('1h1m1s1ms1us1ns') == duration('3661001001001ns') && duration('1µs') == duration('1us') && duration('.5s') == duration('500ms')",
        "duration('+1s') == duration('1s') && duration(duration('1s')) == duration('1s') && duration('1.123us') == duration('1123ns')",
        "string(duration('1h30m')) == '5400s' && string(duration('-1.5s')) == '-1.5s' && string(duration('1ns')) == '0.000000001s'",
        "int(duration('1s')) == 1000000000 && duration('90m').getHours() == 1 && duration('90m').getMinutes() == 90",
        "duration('1m1s').getSeconds() == 61 && duration('1.234s').getMilliseconds() == 1234 && duration('-90m').getHours() == -1",
        "duration('1m') + duration('1s') == duration('61s') && duration('1m') - duration('1s') == duration('59s') && -duration('1s') == duration('-1s')",
        "duration('1ms') < duration('1s') && duration('60s') >= duration('1m') && !optional.ofNonZeroValue(duration('0s')).hasValue()",
        "[duration('2s'), duration('1s')].min() == duration('1s') && duration('1s') in [duration('1000ms')]",
        // Timestamps: parts are those in UTC, text keeps its zone.
        "timestamp('2023-07-14T10:30:45.123Z').getFullYear() == 2023 && timestamp('2023-07-14T10:30:45.123Z').getMonth() == 6",
        "timestamp('2023-07-14T10:30:45.123Z').getDate() == 14 && timestamp('2023-07-14T10:30:45.123Z').getDayOfMonth() == 13",
        "timestamp('2023-07-14T10:30:45.123Z').getDayOfWeek() == 5 && timestamp('2023-07-14T10:30:45.123Z').getDayOfYear() == 194",
        "timestamp('2023-07-14T10:30:45.123Z').getHours() == 10 && timestamp('2023-07-14T10:30:45.123Z').getMinutes() == 30",
        "timestamp('2023-07-14T10:30:45.123Z').getSeconds() == 45 && timestamp('2023-07-14T10:30:45.123Z').getMilliseconds() == 123",
        "timestamp('2024-01-01T01:00:00+02:00').getFullYear() == 2023 && timestamp('2024-01-01T01:00:00+02:00').getHours() == 23",
        "timestamp('2023-01-01T05:30:00Z').getFullYear('-08:00') == 2022 && timestamp('2023-01-01T05:30:00Z').getMinutes('-00:45') == 45",
        "timestamp('2023-01-01T05:30:00Z').getHours('UTC') == 5 && timestamp('2023-01-01T05:30:00Z').getHours('02:00') == 7",
        "timestamp('2023-01-01T05:30:00Z').getHours('') == 5 && timestamp('2023-01-01T00:00:00Z').getDayOfYear('-01:00') == 364",
        "timestamp('2023-01-01T00:00:00Z').getDate('-01:00') == 31 && timestamp('2023-01-01T00:00:00Z').getMonth('-01:00') == 11",
        "timestamp('2023-01-01T00:00:00Z').getDayOfWeek('-01:00') == 6 && timestamp('2023-01-01T00:00:00Z').getDayOfMonth('-01:00') == 30",
        "timestamp('2023-01-01T00:00:01.5Z').getSeconds('-01:00') == 1 && timestamp('2023-01-01T00:00:01.5Z').getMilliseconds('-01:00') == 500",
        "string(timestamp('2023-01-01T00:00:00.120+02:00')) == '2023-01-01T00:00:00.12+02:00' && string(timestamp(0)) == '1970-01-01T00:00:00Z'",
        "string(timestamp('2023-01-01T00:00:00-03:30')) == '2023-01-01T00:00:00-03:30' && string(timestamp('2023-01-01T00:00:00+00:00')) == '2023-01-01T00:00:00Z'",
        "int(timestamp('1970-01-01T00:00:01Z')) == 1 && timestamp(timestamp('2023-01-01T00:00:00Z')) == timestamp('2023-01-01T02:00:00+02:00')",
        "timestamp('2023-01-10T12:00:00Z') - timestamp('2023-01-10T00:00:00Z') == duration('12h') && timestamp('2024-02-29T00:00:00Z') > timestamp(0)",
        "timestamp('2023-01-10T12:00:00Z') - duration('12h') == timestamp('2023-01-10T00:00:00Z')",
        "timestamp('2023-01-01T00:00:00Z') + duration('24h1m2s') == timestamp('2023-01-02T00:01:02Z')",
        "duration('24h') + timestamp('2023-01-01T00:00:00Z') == timestamp('2023-01-02T00:00:00Z')",
        "timestamp('2023-01-01T00:00:00.1234567899Z') == timestamp('2023-01-01T00:00:00.123456789Z')",
        // URLs.
        "isURL('https://user:pass@example.com:80/path?query=val#fragment') && isURL('https://u:p@example.com:80/path?q=v')",
        "isURL('https://example.com/p?q=v#f') && isURL('/absolute-path') && !isURL('https://a:b:c/') && !isURL('../relative-path') && !isURL('')",
        "!isURL('https://example.com:x/') && !isURL('https://exa mple.com/') && !isURL('/%zz') && !isURL('https://[::1/') && !isURL(':a')",
        "isURL('mailto:a@example.com') && isURL('*') && !isURL('https://a b@example.com/') && !isURL('/a\\tb') && isURL('//example.com/a')",
        "url('/path').getScheme() == '' && url('HTTPS://example.com/').getScheme() == 'https'",
        "url('https://example.com:80/').getHost() == 'example.com:80' && url('https://example.com/').getHost() == 'example.com'",
        "url('https://[::1]:80/').getHost() == '[::1]:80' && url('https://[::1]/').getHost() == '[::1]' && url('/path').getHost() == ''",
        "url('https://example.com:80/').getHostname() == 'example.com' && url('https://127.0.0.1:80/').getHostname() == '127.0.0.1'",
        "url('https://[::1]:80/').getHostname() == '::1' && url('/path').getHostname() == '' && url('https://u@example.com').getHostname() == 'example.com'",
        "url('https://example.com:80/').getPort() == '80' && url('https://example.com/').getPort() == '' && url('https://example.com:/').getPort() == ''",
        "url('https://example.com/path').getEscapedPath() == '/path' && url('https://example.com').getEscapedPath() == ''",
        "url('https://example.com/path with spaces/').getEscapedPath() == '/path%20with%20spaces/'",
        "url('/a%2Fb').getEscapedPath() == '/a%2Fb' && url('/ä').getEscapedPath() == '/%C3%A4' && url('/a b%2Fc').getEscapedPath() == '/a%20b/c'",
        "url('https://example.com/path?k1=a&k2=b&k2=c').getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
        "url('https://example.com/path?key with spaces=value with spaces').getQuery() == {'key with spaces': ['value with spaces']}",
        "url('https://example.com/path?').getQuery() == {} && url('https://example.com/path').getQuery() == {}",
        "url('/p?a=1;b=2&c=%zz&d=x+y%2B&e').getQuery() == {'d': ['x y+'], 'e': ['']}",
        "url('https://example.com/p?q=v#a?b').getQuery() == {'q': ['v']} && url('/p#a').getEscapedPath() == '/p'",
        "url('https:://kubernetes.io/').getHostname() == '' && url('http://x.b') == url('HTTP://x.b') && url('http://x.b') != url('http://x.b/')",
        // Two variables.
        "[1, 2, 3].all(i, x, x == i + 1) && {'a': 'ab', 'b': 'bc'}.all(k, v, v.startsWith(k)) && [].all(i, x, false)",
        "{'greeting': 'hello', 'farewell': 'goodbye'}.exists(k, v, k.startsWith('good') || v.endsWith('bye'))",
        "![1, 2, 4, 8, 16].exists(i, v, v == 1024 && i == 10) && ![1, 2, 1, 3, 1, 4].existsOne(i, v, i == 1 || v == 1)",
        "[1, 1, 2, 2, 3, 3].exists_one(i, v, i == 2 && v == 2) && {'i': 0, 'j': 1, 'k': 2}.existsOne(i, v, i == 'l' || v == 1)",
        "[1, 2, 3].transformList(i, v, (i * v) + v) == [1, 4, 9] && [1, 2, 3].transformList(i, v, i % 2 == 0, (i * v) + v) == [1, 9]",
        "{'b': 'x', 'a': 'y'}.transformList(k, v, k + v) == ['ay', 'bx'] && {2: 'x', 1: 'y'}.transformList(k, v, v) == ['y', 'x']",
        "[1, 2, 3].transformMap(i, v, (i * v) + v) == {0: 1, 1: 4, 2: 9} && {'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2) == {'b': 4}",
        "{'hello': 'greeting'}.transformMapEntry(k, v, {v: k}) == {'greeting': 'hello'} && [1, 2].transformMapEntry(i, v, i > 0, {v: i}) == {2: 1}",
        "[[1, 2], [3]].all(i, inner, inner.all(j, x, x == i * 2 + j + 1)) && [1].all(x, y, [y].exists(x, x == 1) && x == 0)",
        // Formats.
        "!format.dns1123Label().validate('my-label-name').hasValue() && format.dns1123Label().validate('contains a space').hasValue()",
        "!format.dns1123Subdomain().validate('apiextensions.k8s.io').hasValue() && format.dns1123Subdomain().validate('a..b').hasValue()",
        "!format.dns1035Label().validate('my-label-name').hasValue() && format.dns1035Label().validate('1a').hasValue() && format.dns1035Label().validate('').hasValue()",
        "!format.qualifiedName().validate('apiextensions.k8s.io/v1beta1').hasValue() && format.qualifiedName().validate('contains a space').hasValue()",
        "!format.qualifiedName().validate('my.name').hasValue() && format.qualifiedName().validate('/a').hasValue() && format.qualifiedName().validate('a/b/c').hasValue()",
        "!format.dns1123LabelPrefix().validate('my-label-prefix-').hasValue() && format.dns1123LabelPrefix().validate('contains a space-').hasValue()",
        "!format.dns1123SubdomainPrefix().validate('mysubdomain.prefix.-').hasValue() && format.dns1123SubdomainPrefix().validate('-').hasValue()",
        "!format.dns1035LabelPrefix().validate('my-label-prefix-').hasValue() && format.dns1035LabelPrefix().validate('1-a').hasValue()",
        "!format.labelValue().validate('my-cool-label-Value').hasValue() && format.labelValue().validate('a!!').hasValue() && !format.labelValue().validate('').hasValue()",
        "!format.uri().validate('http://example.com').hasValue() && format.uri().validate('a').hasValue()",
        "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue() && format.uuid().validate('123').hasValue()",
        "!format.byte().validate('aGVsbG8=').hasValue() && format.byte().validate('aGVsbG8').hasValue() && format.byte().validate('').hasValue()",
        "!format.date().validate('2020-01-01').hasValue() && format.date().validate('2020-01-32').hasValue()",
        "!format.datetime().validate('2020-01-01T00:00:00Z').hasValue() && format.datetime().validate('2020-01-32T00:00:00Z').hasValue()",
        "!format.datetime().validate('2020-01-01t00:00:00.5+01:00').hasValue() && format.datetime().validate('2020-01-01T24:00:00Z').hasValue()",
        "!format.named('unknown').hasValue() && format.named('labelValue').value() == format.labelValue() && format.uuid() != format.uri()",
        // Addresses.
        "ip('192.0.2.1').family() == 4 && ip('2001:db8::1').family() == 6 && string(ip('2001:DB8::1')) == '2001:db8::1'",
        "isIP('192.0.2.1') && !isIP('192.0.2.01') && !isIP('::ffff:192.0.2.1') && !isIP('fe80::1%eth0') && !isIP('a')",
        "ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1') && ip('::1') == ip('0:0:0:0:0:0:0:1')",
        "ip('0.0.0.0').isUnspecified() && ip('127.0.0.2').isLoopback() && ip('::1').isLoopback()",
        "ip('224.0.0.5').isLinkLocalMulticast() && ip('ff12::1').isLinkLocalMulticast() && !ip('224.0.1.5').isLinkLocalMulticast()",
        "ip('169.254.1.1').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast()",
        "ip('10.0.0.1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast() && !ip('224.0.0.1').isGlobalUnicast()",
        "cidr('192.0.2.0/24').containsIP('192.0.2.9') && !cidr('192.0.2.0/24').containsIP(ip('192.0.3.1'))",
        "!cidr('0.0.0.0/0').containsIP('::1') && cidr('192.0.2.9/24').containsIP('192.0.2.1')",
        "cidr('192.0.2.0/24').containsCIDR('192.0.2.0/25') && !cidr('192.0.2.0/24').containsCIDR(cidr('192.0.0.0/16'))",
        "cidr('192.0.2.9/24').masked() == cidr('192.0.2.0/24') && cidr('192.0.2.9/24').ip() == ip('192.0.2.9')",
        "cidr('192.0.2.0/24').prefixLength() == 24 && string(cidr('192.0.2.9/24')) == '192.0.2.9/24'",
        "isCIDR('2001:db8::/32') && !isCIDR('192.0.2.0') && !isCIDR('192.0.2.0/33') && !isCIDR('192.0.2.0/08') && !isCIDR('::ffff:192.0.2.0/120')",
        // Versions.
        "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
        "semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && semver('2.0.0').isGreaterThan(semver('1.9.9'))",
        "semver('1.0.0').compareTo(semver('1.0.0+build')) == 0 && semver('1.0.0') == semver('1.0.0+build')",
        "isSemver('1.2.3') && !isSemver('v1.2.3') && !isSemver('1.2') && isSemver('v01.2', true) && !isSemver('1.2-rc', true)",
        "semver('v1', true) == semver('1.0.0') && semver('1.2.3', false).major() == 1 && semver('1.02.3-rc', true).minor() == 2",
    ];

    #[test]
    fn every_function_has_the_values_of_an_api_server() {
        for expression in TRUE {
            assert_eq!(evaluate(expression), Ok(Value::Bool(true)), "{expression}");
        }
        // Every name is in an expression; the parser makes the hidden ones.
        for name in functions::NAMES.iter().copied().flatten().chain(FUNCTIONS) {
            let is_called = TRUE.iter().any(|expression| expression.contains(&format!("{name}(")));
            assert!(is_called || name.starts_with('@'), "{name}");
            assert!(has_function(name));
        }
        assert!(!has_function("authorizer.group"));
    }

    #[test]
    fn errors_are_those_of_an_api_server() {
        for expression in [
            "[].min()",
            "[].max()",
            "[1, 'a'].sum()",
            "['a'].sum()",
            "[9223372036854775807, 1].sum()",
            "[{}, {}].isSorted()",
            "duration('')",
            "duration('1')",
            "duration('1d')",
            "duration('9223372037s')",
            "duration('2000000h') + duration('2000000h')",
            "timestamp('2023-01-01')",
            "timestamp('2023-02-29T00:00:00Z')",
            "timestamp('2023-01-01T00:00:60Z')",
            "timestamp('2023-01-01t00:00:00z')",
            "timestamp('2023-01-01T00:00:00Z01:00')",
            "timestamp('0001-01-01T00:00:00+01:00')",
            "timestamp(253402300800)",
            "timestamp('9999-12-31T23:59:59Z') + duration('1s')",
            "timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')",
            "timestamp(0).getHours('x:00')",
            "timestamp(0) < duration('1s')",
            "url('https://a:b:c/')",
            "url('../relative-path')",
            "url('https://example.com#a')",
            "[1, 1].transformMapEntry(i, v, {v: i}) == {}",
            "1.all(i, v, true)",
            "quantity('1x')",
            "quantity('500m').asInteger()",
            "quantity('9E').add(quantity('500m')).asInteger()",
            "ip('a')",
            "ip.isCanonical('a')",
            "cidr('a')",
            "cidr('192.0.2.0/24').containsIP('a')",
            "semver('v1.0.0')",
            "optional.none().value()",
            "'a'.matches('(')",
            "'a'.find('(')",
            "'a'.findAll('[')",
        ] {
            let error = evaluate(expression).expect_err(expression);
            assert!(!error.contains(functions::NOT_KNOWN), "{expression}: {error}");
        }
        for expression in [
            "quantity('9e18').add(quantity('9e18')) == quantity('1')",
            "quantity('1e30') == quantity('1')",
            "isQuantity('.')",
            "format.datetime().validate('2020-01-01T00:00:00,5Z').hasValue()",
            "format.uri().validate('http://[x]/').hasValue()",
            "isURL('https://[::1%25eth0]/')",
            "url('https://a%20b/').getHost() == 'a b'",
            "url('https://a:b:1/').getHost() == 'a:b:1'",
            "url('/?a=%ff').getQuery() == {}",
            "timestamp(0).getHours('Europe/Berlin') == 1",
            "timestamp(0).getHours('25:00') == 1",
            "timestamp('2023-01-01T1:00:00Z').getHours() == 1",
            "timestamp('2023-01-01T01:00:00,5Z').getHours() == 1",
            "timestamp('2023-01-01T01:00:00+24:00').getHours() == 1",
            r"'a'.matches('\\p{Old_Italic}')",
        ] {
            let error = evaluate(expression).expect_err(expression);
            assert!(error.contains(functions::NOT_KNOWN), "{expression}: {error}");
        }
    }
}

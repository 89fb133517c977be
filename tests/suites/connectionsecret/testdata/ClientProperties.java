import java.io.FileInputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.URIParameter;
import java.util.Properties;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;

/** Reads client.properties with Java's own parsers, as Kafka's clients do, and writes what librdkafka reads: kcat.conf, and its files. */
class ClientProperties {
    public static void main(String[] args) throws Exception {
        var properties = new Properties();
        try (var file = new FileInputStream("client.properties")) {
            properties.load(file);
        }
        try (var conf = new PrintStream("kcat.conf")) {
            for (var name : properties.stringPropertyNames()) {
                var value = properties.getProperty(name);
                switch (name) {
                    case "bootstrap.servers", "security.protocol", "sasl.mechanism" -> conf.println(name + "=" + value);
                    case "ssl.truststore.certificates" -> conf.println("ssl.ca.location=" + written("ca.pem", value));
                    case "ssl.keystore.certificate.chain" -> conf.println("ssl.certificate.location=" + written("client.pem", value));
                    case "ssl.keystore.key" -> conf.println("ssl.key.location=" + written("key.pem", value));
                    case "ssl.truststore.type", "ssl.keystore.type" -> require(value.equals("PEM"), name + " is " + value);
                    case "sasl.jaas.config" -> {
                        var login = loginModule(value);
                        conf.println("sasl.username=" + login.getOptions().get("username"));
                        conf.println("sasl.password=" + login.getOptions().get("password"));
                    }
                    default -> require(false, "Unknown: " + name);
                }
            }
        }
    }

    /** Java's parser reads files with several entries. That of Kafka reads one, by the same StreamTokenizer. */
    private static AppConfigurationEntry loginModule(String config) throws Exception {
        var file = Path.of(written("jaas.conf", "KafkaClient { " + config + " };")).toUri();
        var entries = Configuration.getInstance("JavaLoginConfig", new URIParameter(file)).getAppConfigurationEntry("KafkaClient");
        require(entries.length == 1, "There are several login modules");
        return entries[0];
    }

    private static String written(String name, String text) throws Exception {
        Files.writeString(Path.of(name), text);
        return name;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
